import { BSONRegExp } from "bson";
import { CommandError } from "../../query/error.ts";

const INLINE_FLAGS = /^\(\?([imsx]+)\)/;
const compiled = new WeakMap<BSONRegExp, RegExp>();

/** The JavaScript form of a PCRE pattern; what has none is refused. */
export function compileRegex(regex: BSONRegExp): RegExp {
  const known = compiled.get(regex);
  if (known) {
    return known;
  }
  let pattern = regex.pattern;
  let options = regex.options;
  const inline = INLINE_FLAGS.exec(pattern);
  if (inline) {
    options += inline[1];
    pattern = pattern.slice(inline[0].length);
  }
  if (options.includes("x")) {
    pattern = withoutComments(pattern);
  }
  const flags = ["i", "m", "s"].filter((flag) => options.includes(flag)).join("");
  const result = build(pcreToJavaScript(pattern), flags, regex.pattern);
  compiled.set(regex, result);
  return result;
}

/** Unicode mode reads code points as PCRE does, but refuses some harmless escapes. */
function build(pattern: string, flags: string, original: string): RegExp {
  try {
    return new RegExp(pattern, `${flags}u`);
  } catch {
    try {
      return new RegExp(pattern, flags);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new CommandError(
        51091,
        `Regular expression is invalid or not supported: ${original}: ${reason}`,
      );
    }
  }
}

const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: "A-Za-z0-9",
  alpha: "A-Za-z",
  digit: "0-9",
  lower: "a-z",
  upper: "A-Z",
  space: "\\s",
  punct: "!-\\/:-@\\[-`{-~",
  xdigit: "0-9A-Fa-f",
  word: "\\w",
};

const ESCAPES: Readonly<Record<string, string>> = {
  A: "(?<![^])",
  z: "(?![^])",
  Z: "(?=\\n?(?![^]))",
  h: "[ \\t]",
  a: "\\x07",
  e: "\\x1b",
};
/** JavaScript takes these for the letter itself and would match something else, or nothing. */
const UNSUPPORTED = /[CEGHKNRXgo]/;

function pcreToJavaScript(pattern: string): string {
  return pattern
    .replace(
      /\\Q([^]*?)(?:\\E|$)|\\x\{([0-9A-Fa-f]+)\}|\\([^])/g,
      (escape, literal?: string, hex?: string, letter = "") => {
        if (literal !== undefined) {
          return literal.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
        }
        if (hex !== undefined) {
          return `\\u{${hex}}`;
        }
        if (!UNSUPPORTED.test(letter)) {
          return ESCAPES[letter] ?? escape;
        }
        throw new CommandError(
          51091,
          `Regular expression is invalid or not supported: ${pattern}: ${escape}`,
        );
      },
    )
    .replace(/\(\?P</g, "(?<")
    .replace(/\[:(\w+):\]/g, (whole, name: string) => POSIX_CLASSES[name] ?? whole);
}

/** Removes what the x option ignores: white space and comments outside of classes and escapes. */
function withoutComments(pattern: string): string {
  return pattern.replace(/\\[^]|\[(?:\\[^]|[^\]\\])*\]|\s+|#[^\n]*/g, (part) =>
    /^[\s#]/.test(part) ? "" : part,
  );
}
