import { lstat } from "node:fs/promises";
import { join } from "node:path";
import {
  type FileDiff,
  RefusalError,
  type TurnDiff,
  type TurnId,
  type UndoResult,
} from "@gadget/api";
import type { AsideFiles } from "../aside-files.ts";
import { checkWritable } from "../check-writable.ts";
import { type FileContent, readWhole, removeFile, writeWhole } from "../files.ts";
import { safePath } from "../safe-path.ts";
import {
  type Change,
  type ChangeStore,
  type FileState,
  hashOf,
  keptBytes,
} from "./change-store.ts";
import { fileDiff, shortener } from "./file-diff.ts";

interface Undo {
  store: ChangeStore;
  asides: AsideFiles;
  turnId: TurnId;
  workspace: string;
  signal: AbortSignal;
}

/** What the turn changed, as it was recorded when it ended. */
export async function turnDiff({
  store,
  turnId,
  signal,
}: Omit<Undo, "workspace" | "asides">): Promise<TurnDiff> {
  const record = await store.read(turnId);
  if (record === undefined) {
    return { files: [], coverage: "whole" };
  }
  const shorten = shortener();
  const files: FileDiff[] = [];
  for (const { path, before, after } of record.files) {
    signal.throwIfAborted();
    const [from, to] = [await load(store, turnId, before), await load(store, turnId, after)];
    files.push(shorten(fileDiff(path, from, to)));
  }
  return { files, coverage: record.coverage };
}

/**
 * Takes the turn's file changes back, or, when that has been done, brings them again. A file that
 * is not as the turn left it was edited by somebody else since: it is named and left alone (A31).
 */
export async function undoTurn(undo: Undo & { preview: boolean }): Promise<UndoResult> {
  const { store, turnId, workspace, preview, signal } = undo;
  const record = await store.read(turnId);
  if (record === undefined) {
    throw new RefusalError("not_found", "This turn changed no files here.");
  }
  if (record.workspace !== workspace) {
    throw new RefusalError("conflict", "The turn changed files of another folder on this drone.");
  }
  const redo = record.undone;
  const shorten = shortener();
  const restored: FileDiff[] = [];
  const skipped: UndoResult["skipped"] = [];
  for (const change of record.files) {
    signal.throwIfAborted();
    const done = await restore(undo, change, redo);
    if (done === "unneeded") {
      continue;
    }
    if (typeof done === "string") {
      skipped.push({ path: change.path, reason: done });
    } else {
      restored.push(shorten(done));
    }
  }
  if (!preview && restored.length > 0) {
    await store.write(turnId, { ...record, undone: !redo });
  }
  return { preview, restored, skipped, redo };
}

async function restore(
  { store, asides, turnId, workspace, preview }: Undo & { preview: boolean },
  { path, before, after }: Change,
  redo: boolean,
): Promise<FileDiff | string> {
  const [from, to] = redo ? [before, after] : [after, before];
  const current = await currentState(workspace, path);
  if (current === "unknown") {
    return "It is a link, a folder or too large.";
  }
  if (isState(current, to)) {
    return "unneeded";
  }
  if (!isState(current, from)) {
    return "It was edited since.";
  }
  if (to !== null && !to.kept) {
    return "It was too large to be kept.";
  }
  const content = await load(store, turnId, to);
  try {
    // A folder on the way may have become a link since: nothing is changed at its other end.
    if ((await safePath(workspace, path)) !== join(workspace, path)) {
      return elsewhere;
    }
    await checkWritable(workspace, join(workspace, path));
    if (!preview && content === null) {
      await removeFile(workspace, path);
    } else if (!preview && content !== null) {
      await writeWhole(workspace, path, { bytes: content.bytes, mode: content.mode }, asides);
    }
  } catch (error) {
    if (error instanceof RefusalError) {
      return error.message;
    }
    throw error;
  }
  return fileDiff(path, current, content);
}

const elsewhere = "A folder above it is a link now.";

async function currentState(workspace: string, path: string) {
  const found = await lstat(join(workspace, path)).catch(() => undefined);
  if (found === undefined) {
    return null;
  }
  if (!found.isFile()) {
    return "unknown";
  }
  const content = await readWhole(workspace, path, 10 * keptBytes).catch(() => undefined);
  return content ?? "unknown";
}

function isState(current: FileContent | null, state: FileState | null): boolean {
  if (current === null || state === null) {
    return current === state;
  }
  return current.mode === state.mode && hashOf(current.bytes) === state.hash;
}

async function load(store: ChangeStore, turnId: TurnId, state: FileState | null) {
  if (state === null) {
    return null;
  }
  const bytes = state.kept ? await store.content(turnId, state) : Buffer.from("\0");
  return { bytes, mode: state.mode };
}
