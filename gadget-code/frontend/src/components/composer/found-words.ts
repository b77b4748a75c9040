import type { FoundFilesState } from "../../lib/use-found-files.ts";

/** What is to be said besides the files, or in their place. */
export function foundWords({ files, problem, isLooking, note }: FoundFilesState): string {
  if (problem !== undefined) {
    return `Files can't be looked for. ${problem}`;
  }
  if (files.length > 0) {
    return note ?? "";
  }
  return isLooking ? "Looking for files…" : `No file matches. ${note ?? ""}`.trim();
}
