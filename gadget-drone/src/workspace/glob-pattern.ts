/**
 * A glob as a regular expression for paths with slashes: `*` and `?` stay within a name, `**` does
 * not, `[...]` and `{a,b}` as usual.
 */
export function globToRegExp(glob: string): RegExp {
  return new RegExp(`^${translate(glob)}$`, "u");
}

function translate(glob: string): string {
  let source = "";
  for (let index = 0; index < glob.length; index++) {
    const char = glob[index] ?? "";
    if (char === "*" && glob[index + 1] === "*") {
      const whole = (index === 0 || glob[index - 1] === "/") && glob[index + 2] === "/";
      source += whole ? "(?:[^/]+/)*" : ".*";
      index += whole ? 2 : 1;
    } else if (char === "*") source += "[^/]*";
    else if (char === "?") source += "[^/]";
    else if (char === "[" && glob.indexOf("]", index + 2) > 0) {
      const end = glob.indexOf("]", index + 2);
      const inner = glob
        .slice(index + 1, end)
        .replace(/^[!^]/, "^")
        .replace(/[\\[\]&]/g, "\\$&");
      source += `[${inner}]`;
      index = end;
    } else if (char === "{" && glob.indexOf("}", index) > 0) {
      const end = glob.indexOf("}", index);
      const choices = glob.slice(index + 1, end).split(",");
      source += `(?:${choices.map(translate).join("|")})`;
      index = end;
    } else if (char === "\\" && index + 1 < glob.length) {
      source += escape(glob[index + 1] ?? "");
      index++;
    } else source += escape(char);
  }
  return source;
}

function escape(char: string): string {
  return char.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
