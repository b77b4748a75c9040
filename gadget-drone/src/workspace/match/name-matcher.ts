/** Whether one name of a path, without slashes, fits. */
export type NameMatcher = (name: string) => boolean;

const star = "*";
type Token = typeof star | ((char: string) => boolean);

/** Reads the pattern of one name: `*`, `?`, `[...]`, a backslash in front of what means itself. */
export function nameMatcher(pattern: string): NameMatcher {
  const plain = /^[^*?[\\]*$/;
  if (plain.test(pattern)) {
    return (name) => name === pattern;
  }
  // What nearly every pattern is: *.ts, test-*.js, *
  const [head = "", tail = "", ...more] = pattern.split(star);
  if (more.length === 0 && plain.test(head) && plain.test(tail)) {
    const shortest = head.length + tail.length;
    return (name) => name.length >= shortest && name.startsWith(head) && name.endsWith(tail);
  }
  const tokens = tokensOf(Array.from(pattern));
  return (name) => matches(tokens, Array.from(name));
}

/** The latest star takes one character more whenever what follows it does not fit. */
function matches(tokens: readonly Token[], name: readonly string[]): boolean {
  let token = 0;
  let at = 0;
  let open = -1;
  let taken = 0;
  while (at < name.length) {
    const here = tokens[token];
    if (here === star) {
      open = token++;
      taken = at;
    } else if (here?.(name[at] ?? "") === true) {
      token++;
      at++;
    } else if (open >= 0) {
      token = open + 1;
      at = ++taken;
    } else {
      return false;
    }
  }
  while (tokens[token] === star) {
    token++;
  }
  return token === tokens.length;
}

function tokensOf(chars: readonly string[]): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? "";
    const set = char === "[" ? charSet(chars, at) : undefined;
    if (set !== undefined) {
      tokens.push(set.holds);
      at = set.end;
    } else if (char === star) {
      if (tokens.at(-1) !== star) {
        tokens.push(star);
      }
    } else if (char === "?") {
      tokens.push(() => true);
    } else {
      const meant = char === "\\" ? (chars[++at] ?? char) : char;
      tokens.push((each) => each === meant);
    }
  }
  return tokens;
}

const named: Record<string, RegExp> = {
  alnum: /[\p{L}\p{N}]/u,
  alpha: /\p{L}/u,
  blank: /[ \t]/,
  digit: /\d/,
  lower: /\p{Ll}/u,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /\p{Lu}/u,
  xdigit: /[\da-f]/i,
};

/** `[a-z]`, `[!a-z]`, `[]a]`, `[[:digit:]]`; undefined where the bracket has no end. */
function charSet(chars: readonly string[], start: number) {
  let at = start + 1;
  const negated = chars[at] === "!" || chars[at] === "^";
  if (negated) {
    at++;
  }
  const first = at;
  const parts: ((char: string) => boolean)[] = [];
  const next = () => (chars[at] === "\\" ? (chars[++at] ?? "") : (chars[at] ?? ""));
  for (; at < chars.length; at++) {
    if (chars[at] === "]" && at > first) {
      const holds = (char: string) => parts.some((part) => part(char)) !== negated;
      return { holds, end: at };
    }
    const name = chars[at] === "[" && chars[at + 1] === ":" ? className(chars, at + 2) : undefined;
    if (name !== undefined) {
      parts.push((char) => named[name]?.test(char) === true);
      at += name.length + 3;
      continue;
    }
    const from = next();
    if (chars[at + 1] === "-" && at + 2 < chars.length && chars[at + 2] !== "]") {
      at += 2;
      const to = next();
      parts.push((char) => codeOf(from) <= codeOf(char) && codeOf(char) <= codeOf(to));
    } else {
      parts.push((char) => char === from);
    }
  }
  return undefined;
}

function className(chars: readonly string[], start: number): string | undefined {
  const text = chars.slice(start, start + 8).join("");
  return Object.keys(named).find((name) => text.startsWith(`${name}:]`));
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}
