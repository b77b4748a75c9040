import { shortestEdit } from "./shortest-edit.ts";

export interface LineCounts {
  added: number;
  removed: number;
}

const context = 3;
const lineFeed = 10;
/** Beyond so many lines that may differ, all of them are shown as replaced. */
const mostLines = 50_000;
/** Of what was replaced as a whole so many characters are shown. */
const mostShown = 100_000;

/**
 * The difference of two texts in git's form, with the counts of lines; empty when they are equal.
 * Its steps are bounded (rule A54): where the search for the shortest way takes too many, what lies
 * between the first and the last difference is shown as replaced as a whole.
 */
export function unifiedDiff(
  path: string,
  before: string | null,
  after: string | null,
): LineCounts & { diff: string } {
  const [old, now] = [before ?? "", after ?? ""];
  if (old === now && before !== null && after !== null) {
    return { diff: "", added: 0, removed: 0 };
  }
  const from = before === null ? "/dev/null" : `a/${path}`;
  const to = after === null ? "/dev/null" : `b/${path}`;
  const { parts, added, removed } = compare(old, now);
  return { diff: [`--- ${from}\n+++ ${to}\n`, ...parts].join(""), added, removed };
}

function compare(before: string, after: string): LineCounts & { parts: string[] } {
  const start = sameStart(before, after);
  const same = sameEnd(before, after, start);
  const old = before.slice(start, before.length - same);
  const now = after.slice(start, after.length - same);
  const head = lastLines(before.slice(0, start));
  const tail = firstLines(before.slice(before.length - same));
  const place = countLines(before.slice(0, start)) - head.length + 1;
  const [removed, added] = [countLines(old), countLines(now)];
  const edit = removed + added > mostLines ? undefined : shortestEdit(linesOf(old), linesOf(now));
  if (edit === undefined) {
    const around = head.length + tail.length;
    const title = `@@ -${range(place, removed + around)} +${range(place, added + around)} @@\n`;
    const pieces = [marked(" ", head.join("")), replaced("-", old), replaced("+", now)];
    const parts = removed + added === 0 ? [] : [title, ...pieces, marked(" ", tail.join(""))];
    return { parts, added, removed };
  }
  const steps = [...head.map(kept), ...edit, ...tail.map(kept)];
  const count = (kind: string) => edit.filter((step) => step.kind === kind).length;
  return { parts: hunks(steps, place), added: count("+"), removed: count("-") };
}

type Step = { kind: " " | "+" | "-"; line: string };

const kept = (line: string): Step => ({ kind: " ", line });

/** How long both begin alike, in whole lines. */
function sameStart(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before.charCodeAt(at) === after.charCodeAt(at)) {
    at++;
  }
  return at === 0 ? 0 : before.lastIndexOf("\n", at - 1) + 1;
}

/** How long both end alike behind `start`, in whole lines. */
function sameEnd(before: string, after: string, start: number): number {
  const most = Math.min(before.length, after.length) - start;
  let same = 0;
  while (
    same < most &&
    before.charCodeAt(before.length - 1 - same) === after.charCodeAt(after.length - 1 - same)
  ) {
    same++;
  }
  const begins = (text: string) => {
    const at = text.length - same;
    return at === start || text[at - 1] === "\n";
  };
  if (begins(before) && begins(after)) {
    return same;
  }
  const end = before.indexOf("\n", before.length - same);
  return end < 0 ? 0 : before.length - end - 1;
}

function lastLines(text: string): string[] {
  let from = text.length;
  for (let line = 0; line < context && from > 0; line++) {
    from = from < 2 ? 0 : text.lastIndexOf("\n", from - 2) + 1;
  }
  return linesOf(text.slice(from));
}

function firstLines(text: string): string[] {
  let end = 0;
  for (let line = 0; line < context && end < text.length; line++) {
    const next = text.indexOf("\n", end);
    end = next < 0 ? text.length : next + 1;
  }
  return linesOf(text.slice(0, end));
}

/** Lines with their line ends; the last one may have none. */
function linesOf(text: string): string[] {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  const ended = lines.map((line) => `${line}\n`);
  return last === "" ? ended : [...ended, last];
}

function countLines(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    count += text.charCodeAt(at) === lineFeed ? 1 : 0;
  }
  return text === "" || text.endsWith("\n") ? count : count + 1;
}

/** Lines that are many are cut, in whole lines; git's form has room for a word of that. */
function replaced(mark: Step["kind"], text: string): string {
  const end = text.lastIndexOf("\n", mostShown) + 1;
  if (text.length <= mostShown || end === 0) {
    return marked(mark, text.slice(0, mostShown));
  }
  const left = countLines(text.slice(end));
  return `${marked(mark, text.slice(0, end))}\\ ${left} more lines are not shown\n`;
}

/** All lines of a text with their mark in front. */
function marked(mark: Step["kind"], text: string): string {
  if (text === "") {
    return "";
  }
  const ended = text.endsWith("\n");
  const lines = mark + (ended ? text.slice(0, -1) : text).replaceAll("\n", `\n${mark}`);
  return ended ? `${lines}\n` : `${lines}\n\\ No newline at end of file\n`;
}

function hunks(steps: Step[], firstLine: number): string[] {
  const near = new Uint8Array(steps.length);
  steps.forEach(({ kind }, index) => {
    if (kind !== " ") {
      near.fill(1, Math.max(0, index - context), index + context + 1);
    }
  });
  const parts: string[] = [];
  let oldLine = firstLine;
  let newLine = firstLine;
  for (let index = 0; index < steps.length; ) {
    let end = index;
    while (end < steps.length && near[end] === near[index]) {
      end++;
    }
    const group = steps.slice(index, end);
    const oldCount = group.filter(({ kind }) => kind !== "+").length;
    const newCount = group.filter(({ kind }) => kind !== "-").length;
    if (near[index] === 1) {
      parts.push(`@@ -${range(oldLine, oldCount)} +${range(newLine, newCount)} @@\n`);
      parts.push(...group.map(({ kind, line }) => marked(kind, line)));
    }
    oldLine += oldCount;
    newLine += newCount;
    index = end;
  }
  return parts;
}

function range(start: number, count: number): string {
  if (count === 1) {
    return String(start);
  }
  return `${count === 0 ? start - 1 : start},${count}`;
}
