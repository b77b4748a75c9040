import { relative } from "node:path";
import type { ToolResult } from "@gadget/agent";
import { fileDiff } from "../workspace/changes/file-diff.ts";
import { checkWritable } from "../workspace/check-writable.ts";
import { type FileContent, readWhole, writeWhole } from "../workspace/files.ts";
import { safePath } from "../workspace/safe-path.ts";
import type { DroneToolContext } from "./tool-context.ts";

const largestBytes = 10 * 1024 * 1024;

/** What a file is to become: the place where write_file and edit_file meet. */
export interface PlannedChange {
  before: FileContent | null;
  after: string;
}

/** Where a change of `path` really goes, relative to the workspace; refuses what no tool writes. */
export async function writablePath(workspace: string, path: string): Promise<string> {
  const real = await safePath(workspace, path);
  await checkWritable(workspace, real);
  return relative(workspace, real);
}

export async function readBefore(workspace: string, path: string): Promise<FileContent | null> {
  return (await readWhole(workspace, path, largestBytes)) ?? null;
}

export function plannedDiff(path: string, { before, after }: PlannedChange): string {
  return fileDiff(path, before, { bytes: Buffer.from(after) }).diff;
}

/** Writes the file as a whole, records the change for diff and undo, and shows it. */
export async function applyChange(
  path: string,
  { before, after }: PlannedChange,
  context: DroneToolContext,
  done: string,
): Promise<ToolResult> {
  const { workspace, changes, signal } = context;
  const bytes = Buffer.from(after);
  if (bytes.length > largestBytes) {
    throw new Error(`That is more than ${largestBytes} bytes.`);
  }
  await changes.prepare();
  // The last moment at which an abort leaves the old file; from here on it is the new one.
  signal.throwIfAborted();
  await writeWhole(workspace, path, { bytes, mode: before?.mode }, context.asides);
  const written = await readWhole(workspace, path, largestBytes).catch(() => undefined);
  const state = { bytes, mode: written?.mode ?? before?.mode ?? 0o644 };
  context.fileChanged(await changes.wrote(path, before, state));
  const { diff, file } = fileDiff(path, before, state);
  return { text: `${done} (+${file.added} -${file.removed} lines)`, diff };
}
