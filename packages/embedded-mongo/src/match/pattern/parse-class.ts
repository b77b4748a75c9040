import {
  CharacterSet,
  complement,
  escapeClasses,
  posixClasses,
  type Range,
} from "./character-set.ts";
import type { PatternReader } from "./pattern-reader.ts";

/** A class like `[^a-z\d[:punct:]]`, of which `[` was read. */
export function parseClass(reader: PatternReader, ignoresCase: boolean): CharacterSet {
  const chars: Range[] = [];
  const exact: Range[] = [];
  const negated = reader.take("^");
  let isFirst = true;
  let isQuoted = false;
  for (;;) {
    if (reader.isAtEnd) {
      throw reader.refuse("missing terminating ] for character class");
    }
    if (reader.take(isQuoted ? "\\E" : "\\Q")) {
      isQuoted = !isQuoted;
      continue;
    }
    if (!isQuoted && reader.take("\\E")) {
      continue;
    }
    if (!isQuoted && !isFirst && reader.take("]")) {
      break;
    }
    isFirst = false;
    const item = isQuoted ? reader.next() : parseItem(reader, ignoresCase);
    if (typeof item !== "string") {
      exact.push(...item);
      if (startsRange(reader)) {
        throw reader.refuse("invalid range in character class");
      }
      continue;
    }
    const from = item.codePointAt(0) ?? 0;
    if (isQuoted || !startsRange(reader)) {
      chars.push([from, from]);
      continue;
    }
    reader.next();
    if (reader.looksAt(/\\[QE]/y)) {
      throw reader.refuse("\\Q and \\E in a range of a character class");
    }
    const last = parseItem(reader, ignoresCase);
    const to = typeof last === "string" ? (last.codePointAt(0) ?? 0) : -1;
    if (to < from) {
      throw reader.refuse("invalid range in character class");
    }
    chars.push([from, to]);
  }
  return ignoresCase
    ? new CharacterSet(exact, { folded: chars, negated })
    : new CharacterSet([...exact, ...chars], { negated });
}

function startsRange(reader: PatternReader): boolean {
  return reader.looksAt(/-[^\]]/uy);
}

function parseItem(reader: PatternReader, ignoresCase: boolean): string | readonly Range[] {
  if (reader.looksAt(/\[[:.=]/y)) {
    return posixClass(reader, ignoresCase);
  }
  const char = reader.next();
  if (char !== "\\") {
    return char;
  }
  const letter = reader.peek();
  const ranges = escapeClasses.get(letter);
  if (ranges !== undefined) {
    reader.next();
    return ranges;
  }
  if (letter === "b") {
    reader.next();
    return "\b";
  }
  return reader.escapedCharacter();
}

function posixClass(reader: PatternReader, ignoresCase: boolean): readonly Range[] {
  const found = reader.takeMatch(/\[:(\^?)([a-z]+):\]/y);
  const [, not = "", name = ""] = found ?? [];
  const isCased = name === "upper" || name === "lower";
  const ranges = posixClasses.get(isCased && ignoresCase ? "alpha" : name);
  if (ranges === undefined) {
    throw reader.refuse("unknown POSIX class name or collating element");
  }
  return not === "" ? ranges : complement(ranges);
}
