import type { Part } from "@gadget/api";
import { toldFromMs } from "../../session/model-wait-words.ts";

/** One part, or neighbours that only looked around: each of those says little by itself. */
export interface PartRow {
  /** Parts are only ever added, so the place of the first is the row's identity. */
  key: number;
  parts: [Part, ...Part[]];
}

const reads = new Set(["read_file"]);
const lists = new Set(["list_files"]);
const searches = new Set(["glob", "grep"]);

function isLooking(part: Part): boolean {
  if (part.kind !== "tool") {
    return false;
  }
  return reads.has(part.name) || lists.has(part.name) || searches.has(part.name);
}

/** A provider's retries are one piece of news, told by the latest of them. */
function isSameNews(part: Part, before: Part): boolean {
  return (
    part.kind === "notice" &&
    before.kind === "notice" &&
    part.code !== undefined &&
    part.code === before.code
  );
}

/** A question stands for the call that asked it; a short back-off is nothing to tell of. */
function isShown(part: Part, parts: readonly Part[]): boolean {
  if (part.kind === "notice" && part.waiting !== undefined) {
    return (part.waiting.retryMs ?? 0) >= toldFromMs;
  }
  if (part.kind !== "tool" || part.name !== "ask_user") {
    return true;
  }
  return !parts.some((other) => other.kind === "question" && other.callId === part.id);
}

export function partRows(parts: readonly Part[], from = 0): PartRow[] {
  const rows: PartRow[] = [];
  for (const [index, part] of parts.slice(from).entries()) {
    const last = rows.at(-1);
    if (!isShown(part, parts)) {
      continue;
    }
    if (last !== undefined && isSameNews(part, last.parts[0])) {
      last.parts = [part];
    } else if (last !== undefined && isLooking(part) && isLooking(last.parts[0])) {
      last.parts.push(part);
    } else {
      rows.push({ key: from + index, parts: [part] });
    }
  }
  return rows;
}

/** `3 reads, 1 search` */
export function lookAroundWords(parts: readonly Part[]): string {
  const times = (names: ReadonlySet<string>) =>
    parts.filter((part) => part.kind === "tool" && names.has(part.name)).length;
  const words: [number, string, string][] = [
    [times(reads), "read", "reads"],
    [times(lists), "listing", "listings"],
    [times(searches), "search", "searches"],
  ];
  return words
    .filter(([n]) => n > 0)
    .map(([n, one, many]) => `${n} ${n === 1 ? one : many}`)
    .join(", ");
}
