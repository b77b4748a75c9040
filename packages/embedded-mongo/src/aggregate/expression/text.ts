import { BSONRegExp, BSONSymbol, Int32 } from "bson";
import { compareStrings } from "../../query/compare.ts";
import { CommandError } from "../../query/error.ts";
import { wholeNumber } from "../../query/numeric.ts";
import { isNullish, isNumeric, type Value } from "../../query/value.ts";
import { textOf } from "./convert.ts";
import { binary, named, nary, type OperatorCompiler, typeOf, unary } from "./operator.ts";

type Maybe = Value | undefined;
const many = Number.POSITIVE_INFINITY;

function concat(values: readonly Maybe[]): Value {
  let text = "";
  for (const value of values) {
    if (isNullish(value)) {
      return null;
    }
    if (typeof value !== "string") {
      throw new CommandError(16702, `$concat only supports strings, not ${typeOf(value)}`);
    }
    text += value;
  }
  return text;
}

/** Strings, and the numbers and dates that MongoDB turns into strings here; null is "". */
function coerced(value: Maybe): string {
  if (isNullish(value)) {
    return "";
  }
  if (typeof value === "string") {
    return value;
  }
  if (value instanceof BSONSymbol) {
    return value.value;
  }
  if (isNumeric(value) || value instanceof Date) {
    return textOf(value);
  }
  throw new CommandError(16007, `can't convert from BSON type ${typeOf(value)} to String`);
}

const upper = (text: string): string => text.replace(/[a-z]+/g, (part) => part.toUpperCase());
const lower = (text: string): string => text.replace(/[A-Z]+/g, (part) => part.toLowerCase());

function requireText(value: Maybe, message: string, code: number): string {
  if (typeof value === "string") {
    return value;
  }
  throw new CommandError(code, `${message}, found: ${typeOf(value)}`);
}

function requireCount(value: Maybe, name: string, code: number): number {
  const count = isNumeric(value) ? wholeNumber(value) : undefined;
  if (count === undefined) {
    throw new CommandError(code, `${name} requires a whole number, found: ${typeOf(value)}`);
  }
  return Number(count);
}

function substringBytes([value, start, length]: readonly Maybe[]): Value {
  const bytes = Buffer.from(coerced(value));
  const from = requireCount(start, "$substrBytes: the starting index", 16034);
  if (from < 0) {
    throw new CommandError(
      50752,
      `$substrBytes: starting index must be non-negative (got: ${from})`,
    );
  }
  const count = requireCount(length, "$substrBytes: the length", 16035);
  const end = count < 0 ? bytes.length : Math.min(bytes.length, from + count);
  const splits = (at: number): boolean => ((bytes[at] ?? 0) & 0xc0) === 0x80;
  if (splits(from) || splits(end)) {
    throw new CommandError(
      28656,
      "$substrBytes: Invalid range, starting or ending in the middle of a UTF-8 character.",
    );
  }
  return bytes.toString("utf8", from, Math.max(from, end));
}

function substringPoints([value, start, length]: readonly Maybe[]): Value {
  const from = requireCount(start, "$substrCP: the starting index", 34450);
  const count = requireCount(length, "$substrCP: the length", 34452);
  if (from < 0) {
    throw new CommandError(34455, "$substrCP: the starting index must be nonnegative integer.");
  }
  if (count < 0) {
    throw new CommandError(34456, "$substrCP: length must be a nonnegative integer.");
  }
  return Array.from(coerced(value))
    .slice(from, from + count)
    .join("");
}

function indexOf(name: string, units: (text: string) => ArrayLike<number | string>) {
  return nary(2, 4, ([value, wanted, start, end]) => {
    if (isNullish(value)) {
      return null;
    }
    const text = units(
      requireText(value, `${name} requires a string as the first argument`, 40091),
    );
    const part = units(
      requireText(wanted, `${name} requires a string as the second argument`, 40092),
    );
    const from = start === undefined ? 0 : requireIndex(start, name, "starting");
    const to =
      end === undefined ? text.length : Math.min(text.length, requireIndex(end, name, "ending"));
    for (let at = from; at + part.length <= to; at += 1) {
      let matched = 0;
      while (matched < part.length && text[at + matched] === part[matched]) {
        matched += 1;
      }
      if (matched === part.length) {
        return new Int32(at);
      }
    }
    return new Int32(-1);
  });
}

function requireIndex(value: Maybe, name: string, which: string): number {
  const index = requireCount(value, `${name}: the ${which} index`, 40096);
  if (index < 0) {
    throw new CommandError(40097, `${name} requires a nonnegative ${which} index, found: ${index}`);
  }
  return index;
}

const split = binary((value, separator) => {
  if (isNullish(value) || isNullish(separator)) {
    return null;
  }
  const text = requireText(
    value,
    "$split requires an expression that evaluates to a string as a first argument",
    40085,
  );
  const by = requireText(
    separator,
    "$split requires an expression that evaluates to a string as a second argument",
    40086,
  );
  if (by === "") {
    throw new CommandError(40087, "$split requires a non-empty separator");
  }
  return text.split(by);
});

const BLANKS =
  "\0 \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a";

function trimmer(name: string, left: boolean, right: boolean): OperatorCompiler {
  return named(["input"], ["chars"], (argument, given) => {
    const input = argument("input");
    if (isNullish(input)) {
      return null;
    }
    const text = Array.from(requireText(input, `${name} requires its input to be a string`, 50699));
    const chars = given.has("chars") ? argument("chars") : BLANKS;
    if (isNullish(chars)) {
      return null;
    }
    const removed = new Set(requireText(chars, `${name} requires 'chars' to be a string`, 50700));
    const isKept = (char: string): boolean => !removed.has(char);
    const first = text.findIndex(isKept);
    if (first < 0) {
      return "";
    }
    const start = left ? first : 0;
    const end = right ? text.findLastIndex(isKept) + 1 : text.length;
    return text.slice(start, end).join("");
  });
}

function replacer(name: string, all: boolean): OperatorCompiler {
  return named(["input", "find", "replacement"], [], (argument) => {
    const values = ["input", "find", "replacement"].map((key) => argument(key));
    for (const [i, value] of values.entries()) {
      if (!isNullish(value)) {
        requireText(value, `${name} requires its arguments to be strings`, 51746 - i);
      }
    }
    const [input, find, replacement] = values;
    if (typeof input !== "string" || typeof find !== "string" || typeof replacement !== "string") {
      return null;
    }
    return all ? input.replaceAll(find, () => replacement) : input.replace(find, () => replacement);
  });
}

const compareCaseless = binary(
  (a, b) => new Int32(compareStrings(upper(coerced(a)), upper(coerced(b)))),
);

/** A pattern as a string or a regular expression, with options given beside it or in it. */
export function regexArgument(regex: Maybe, options: Maybe, name: string): BSONRegExp | null {
  if (isNullish(regex)) {
    return null;
  }
  const flags = isNullish(options)
    ? ""
    : requireText(options, `${name} needs 'options' to be of type string`, 51106);
  if (regex instanceof BSONRegExp) {
    if (flags !== "" && regex.options !== "") {
      throw new CommandError(
        51107,
        `${name}: found regex option(s) specified in both 'regex' and 'option' fields`,
      );
    }
    return flags === "" ? regex : new BSONRegExp(regex.pattern, flags);
  }
  const pattern = requireText(regex, `${name} needs 'regex' to be of type string or regex`, 51105);
  const unknown = /[^imsx]/.exec(flags)?.[0];
  if (unknown !== undefined) {
    throw new CommandError(51108, `${name} invalid flag in regex options: ${unknown}`);
  }
  return new BSONRegExp(pattern, flags);
}

export const text: ReadonlyMap<string, OperatorCompiler> = new Map([
  ["$concat", nary(0, many, concat)],
  ["$toLower", unary((value) => lower(coerced(value)))],
  ["$toUpper", unary((value) => upper(coerced(value)))],
  ["$substr", nary(3, 3, substringBytes)],
  ["$substrBytes", nary(3, 3, substringBytes)],
  ["$substrCP", nary(3, 3, substringPoints)],
  [
    "$strLenBytes",
    unary(
      (value) =>
        new Int32(
          Buffer.byteLength(requireText(value, "$strLenBytes requires a string argument", 34473)),
        ),
    ),
  ],
  [
    "$strLenCP",
    unary(
      (value) =>
        new Int32(
          Array.from(requireText(value, "$strLenCP requires a string argument", 34471)).length,
        ),
    ),
  ],
  ["$indexOfBytes", indexOf("$indexOfBytes", (value) => Buffer.from(value))],
  ["$indexOfCP", indexOf("$indexOfCP", (value) => Array.from(value))],
  ["$split", split],
  ["$trim", trimmer("$trim", true, true)],
  ["$ltrim", trimmer("$ltrim", true, false)],
  ["$rtrim", trimmer("$rtrim", false, true)],
  ["$replaceOne", replacer("$replaceOne", false)],
  ["$replaceAll", replacer("$replaceAll", true)],
  ["$strcasecmp", compareCaseless],
]);
