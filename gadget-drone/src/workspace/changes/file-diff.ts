import type { FileDiff } from "@gadget/api";
import type { FileContent } from "../files.ts";
import { unifiedDiff } from "./unified-diff.ts";

export const largestText = 1024 * 1024;

/** Bytes that are no text: git's own rule, a NUL in the first 8,000. */
export function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8_000).includes(0);
}

/** What happened to a file, with its diff where both states are texts. */
export function fileDiff(
  path: string,
  before: Pick<FileContent, "bytes"> | null,
  after: Pick<FileContent, "bytes"> | null,
): FileDiff {
  const change = before === null ? "created" : after === null ? "deleted" : "modified";
  const states = [before, after].filter((state) => state !== null);
  if (states.some(({ bytes }) => bytes.length > largestText || isBinary(bytes))) {
    const file = { path, change, added: 0, removed: 0 } as const;
    return { file, diff: `Binary or large file ${path} was ${change}.\n` };
  }
  const text = (state: Pick<FileContent, "bytes"> | null) => state?.bytes.toString("utf8") ?? null;
  const { diff, added, removed } = unifiedDiff(path, text(before), text(after));
  return { file: { path, change, added, removed }, diff };
}

/** A message to the server may have 4 MB; a larger one would end the connection. */
export const messageBytes = 1_500_000;

/** Leaves the first diffs as they are, up to so many bytes; of later ones only the file is told. */
export function shortener(bytes = messageBytes): (each: FileDiff) => FileDiff {
  let left = bytes;
  return (each) => {
    left -= Buffer.byteLength(JSON.stringify(each));
    return left >= 0 ? each : { ...each, diff: "The diff is too long to be shown here.\n" };
  };
}
