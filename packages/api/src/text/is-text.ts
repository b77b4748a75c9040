import * as z from "zod/mini";

/**
 * Where a value holds a string that is no text: with a NUL, or with half of a character pair, which
 * no database and no file takes as it is. Undefined: nowhere. Never recurses.
 */
export function notText(value: unknown): string | undefined {
  const waiting: { at: string; value: unknown }[] = [{ at: "", value }];
  for (const { at, value: found } of waiting) {
    if (typeof found === "string") {
      if (!isText(found)) {
        return at;
      }
    } else if (typeof found === "object" && found !== null) {
      for (const [key, item] of Object.entries(found)) {
        const inner = at === "" ? key : `${at}.${key}`;
        if (!isText(key)) {
          return at;
        }
        waiting.push({ at: inner, value: item });
      }
    }
  }
  return undefined;
}

/** With the flag `u` a pair is one character, so that only a half of one matches. */
const halfPair = /[\u{D800}-\u{DFFF}]/u;

export function isText(text: string): boolean {
  return !text.includes("\0") && !halfPair.test(text);
}

/** Ends a line, controls a terminal, or turns the direction of what stands around it. */
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** Text that looks like what it is, on one line, whoever reads it. */
export function isPlainLine(text: string): boolean {
  return isText(text) && !hidden.test(text);
}

/** What somebody else is shown as a name: of a machine, a folder, a version. */
export const plainLine = z.refine<string>(isPlainLine, "it holds a character that can't be seen");
