import { isObject, parseJson } from "./json.ts";

const failure = new RegExp(
  [
    String.raw`^\W*(?:error|failed|failure|refused|denied|not allowed|rejected|cancell?ed|abort|skipped|never|timed out|unknown)\b`,
    String.raw`\b(?:was|were|has been) (?:denied|refused|rejected|cancell?ed|aborted|skipped|stopped|not \w+)\b`,
    String.raw`\bnever started\b|\boutcome\b.*\bunknown\b`,
    String.raw`^there is no\b|^the arguments are not valid\b|\bcould not\b|\bcan't be written\b`,
  ].join("|"),
  "i",
);

/** Whether the first line of a tool's result says that the tool did not do it. */
export function looksFailed(result: string): boolean {
  return failure.test(firstLine(result));
}

export function firstLine(text: string, limit = 160): string {
  const line = linesOf(text)[0] ?? "";
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

export function lastLine(text: string, limit = 160): string {
  const line = linesOf(text).at(-1) ?? "";
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

export function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function withoutNotes(lines: string[]): string[] {
  return lines.filter((line) => !/^[[(].*[\])]$/.test(line));
}

/** The names in a listing: one a line, or JSON; notes in brackets are no names. */
export function namesIn(listing: string): string[] {
  const parsed = parseJson(listing);
  const entries: unknown = isObject(parsed) ? Object.values(parsed).find(Array.isArray) : parsed;
  if (Array.isArray(entries)) {
    return entries.flatMap((entry: unknown) => {
      const name = isObject(entry) ? (entry.path ?? entry.name) : entry;
      return typeof name === "string" ? [name] : [];
    });
  }
  return withoutNotes(linesOf(listing))
    .map((line) => line.replace(/^(?:[-*•│├└─ ]+|\[?(?:file|dir|d|f)\]?:?\s+)/u, ""))
    .map((line) => line.split(/\t|\s{2,}|\s+\(/)[0] ?? line)
    .filter((name) => name !== "" && name !== "." && name !== "./");
}

/** The lines of a file as a tool shows them, without the line numbers that it may add. */
export function fileLines(shown: string): string[] {
  // Before the ends are trimmed: of an empty line, only the number and a tab stand there.
  const lines = shown.split("\n").map((line) => line.replace(/^ *\d+(?:\t|→|\||: | {2,})/u, ""));
  return withoutNotes(linesOf(lines.join("\n")));
}

/** How many `path:line:text` matches a search returned. */
export function countMatches(found: string): number {
  return linesOf(found).filter((line) => /^[^:]+:\d+[:-]|^\d+[:-]/.test(line)).length;
}
