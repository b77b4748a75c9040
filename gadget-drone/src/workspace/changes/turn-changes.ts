import { lstat, mkdir, mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { FileChange, TurnId } from "@gadget/api";
import { Breath } from "../../breath.ts";
import { type FileContent, readWhole } from "../files.ts";
import type { RawChange } from "../git/raw-changes.ts";
import { ShadowRepository } from "../git/shadow-repository.ts";
import { type Change, type ChangeRecord, type ChangeStore, keptBytes } from "./change-store.ts";
import { CommandWindows } from "./command-windows.ts";
import { fileDiff } from "./file-diff.ts";

export interface TurnChangesOptions {
  dataDir: string;
  store: ChangeStore;
  turnId: TurnId;
  workspace: string;
  hasGit: boolean;
  signal: AbortSignal;
  notice: (level: "info" | "warning", code: string, text: string) => void;
  limits?: { progressMs: number; snapshotMs: number };
}

interface Write {
  before: FileContent | null;
  after: FileContent | null;
  /** What is kept of it, once it was written down. */
  kept?: Change;
}

const mostFiles = 5_000;

/**
 * Knows which files a turn changes: those that tools write, exactly, and those that commands
 * write, by comparing snapshots. The first snapshot is taken before the first change, so that a
 * turn that changes nothing costs nothing.
 */
export class TurnChanges {
  readonly #options: TurnChangesOptions;
  readonly #shadow: ShadowRepository;
  readonly #writes = new Map<string, Write>();
  readonly #windows = new CommandWindows();
  #saving: Promise<void> = Promise.resolve();
  #prepared: Promise<void> | undefined;
  #before: string | undefined;

  constructor(options: TurnChangesOptions) {
    this.#options = options;
    this.#shadow = new ShadowRepository(options.dataDir, options.workspace, options.turnId);
  }

  get #coverage(): ChangeRecord["coverage"] {
    return this.#before === undefined ? "edits" : "whole";
  }

  /** To be awaited before anything may change a file. */
  prepare(): Promise<void> {
    this.#prepared ??= this.#takeFirst();
    return this.#prepared;
  }

  /** A command that may change files runs until the returned function is called. */
  commandStarts(): () => void {
    return this.#windows.open();
  }

  /** A tool has replaced a file; gives what the turn has done to it so far. */
  async wrote(path: string, before: FileContent | null, after: FileContent | null) {
    const first = this.#writes.get(path);
    const write: Write = { before: first === undefined ? before : first.before, after };
    this.#writes.set(path, write);
    // Saved at once, so that what tools did can be taken back also after a crash.
    // One after the other: subagents write at the same time, and the last record must be whole.
    const saved = this.#saving.then(async () => this.#save(await this.#writeChanges()));
    this.#saving = saved.catch(() => {});
    await saved;
    return fileDiff(path, write.before, write.after).file;
  }

  /** The turn has ended: says what it changed and keeps it for diff and undo. */
  async finish(signal: AbortSignal): Promise<FileChange[]> {
    const { store, turnId } = this.#options;
    if (this.#prepared === undefined) {
      return [];
    }
    await this.#prepared;
    try {
      const files = new Map<string, Write>(this.#writes);
      if (this.#before !== undefined && this.#windows.any) {
        await this.#addCommandChanges(this.#before, files, signal);
      }
      const breath = new Breath(signal);
      const changes: Change[] = [];
      const changed: FileChange[] = [];
      for (const [path, { before, after }] of files) {
        if (breath.due) {
          await breath.take();
        }
        if (same(before, after)) {
          continue;
        }
        changes.push(await this.#kept(path, before, after));
        changed.push(fileDiff(path, before, after).file);
      }
      if (changes.length > 0) {
        await this.#save(changes);
      }
      return changed;
    } finally {
      store.forget(turnId);
      await this.#shadow.close();
    }
  }

  async #takeFirst(): Promise<void> {
    const { hasGit, notice, signal, limits } = this.#options;
    const edits = "only files that tools edit are covered by undo in this turn";
    if (!hasGit) {
      return notice("info", "snapshot", `This machine has no git: ${edits}.`);
    }
    const { progressMs, snapshotMs } = limits ?? { progressMs: 2_000, snapshotMs: 10_000 };
    const progress = setTimeout(
      () => notice("info", "snapshot", "Taking a snapshot of the workspace, for undo."),
      progressMs,
    );
    const tooLong = AbortSignal.timeout(snapshotMs);
    try {
      const taken = await this.#shadow.snapshot(AbortSignal.any([signal, tooLong]));
      if ("tree" in taken) {
        this.#before = taken.tree;
      } else if (!signal.aborted) {
        const why = tooLong.aborted ? "The workspace is too large for a snapshot" : taken.problem;
        notice("warning", "snapshot", `${why}: ${edits}.`);
      }
    } finally {
      clearTimeout(progress);
    }
  }

  async #addCommandChanges(first: string, files: Map<string, Write>, signal: AbortSignal) {
    const { notice } = this.#options;
    const last = await this.#shadow.snapshot(signal);
    // Ended by the turn's abort, not by its own limit: whoever asked may ask again, shortly.
    if (signal.aborted && signal.reason === this.#options.signal.reason) {
      throw signal.reason;
    }
    const changed =
      "tree" in last ? await this.#shadow.changes(first, last.tree, signal) : undefined;
    if (changed === undefined || changed.length > mostFiles) {
      const why = changed === undefined ? "could not be compared" : "changed in too many places";
      return notice("warning", "snapshot", `The workspace ${why}: undo covers only tools' edits.`);
    }
    const ours: RawChange[] = [];
    for (const change of changed) {
      const gitlink = [change.before, change.after].includes("160000");
      if (!gitlink && (await this.#byCommand(change.path, files.get(change.path)))) {
        ours.push(change);
      }
    }
    const before = await this.#contentsBefore(first, ours, signal);
    for (const change of ours) {
      const known = files.get(change.path);
      const after = await this.#onDisk(this.#options.workspace, change.path);
      const found = before.get(change.path) ?? null;
      const mode = modeBefore(change, after?.mode);
      const earlier = found === null ? null : { ...found, mode: mode ?? found.mode };
      files.set(change.path, { before: known === undefined ? earlier : known.before, after });
    }
  }

  /** Whether a command made the file what it is now: its times tell, and nobody can set them back. */
  async #byCommand(path: string, write: Write | undefined): Promise<boolean> {
    const { workspace } = this.#options;
    if (write !== undefined) {
      const now = await this.#onDisk(workspace, path);
      if (same(now, write.after)) {
        return false;
      }
    }
    let place = join(workspace, path);
    let found = await lstat(place).catch(() => undefined);
    while (found === undefined && place !== workspace) {
      place = dirname(place);
      found = await lstat(place).catch(() => undefined);
    }
    return found !== undefined && this.#windows.holds(found.ctimeMs);
  }

  async #contentsBefore(tree: string, changes: RawChange[], signal: AbortSignal) {
    const contents = new Map<string, FileContent | null>();
    const existed = changes.filter(({ before }) => before !== null).map(({ path }) => path);
    if (existed.length === 0) {
      return contents;
    }
    const temporary = join(this.#options.dataDir, "tmp");
    await mkdir(temporary, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(temporary, "before-"));
    try {
      if (await this.#shadow.extract(tree, existed, folder, signal)) {
        for (const path of existed) {
          contents.set(path, await this.#onDisk(folder, path));
        }
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    return contents;
  }

  /** Links and what is too large are left out: they are as if they were not there. */
  async #onDisk(folder: string, path: string): Promise<FileContent | null> {
    const found = await lstat(join(folder, path)).catch(() => undefined);
    if (found === undefined || !found.isFile()) {
      return null;
    }
    return (await readWhole(folder, path, 10 * keptBytes).catch(() => undefined)) ?? null;
  }

  async #writeChanges(): Promise<Change[]> {
    const changes: Change[] = [];
    for (const [path, write] of this.#writes) {
      if (same(write.before, write.after)) {
        continue;
      }
      write.kept ??= await this.#kept(path, write.before, write.after);
      changes.push(write.kept);
    }
    return changes;
  }

  async #kept(path: string, before: FileContent | null, after: FileContent | null) {
    const { store, turnId } = this.#options;
    const [from, to] = [await store.keep(turnId, before), await store.keep(turnId, after)];
    return { path, before: from, after: to };
  }

  #save(files: Change[]): Promise<void> {
    const { store, turnId, workspace } = this.#options;
    return store.write(turnId, { workspace, coverage: this.#coverage, undone: false, files });
  }
}

/** Git keeps one bit of a file's mode; the others are as the command left them. */
function modeBefore(change: RawChange, after: number | undefined): number | undefined {
  if (after === undefined || change.before === change.after) {
    return after;
  }
  return change.before === "100755" ? after | ((after & 0o444) >> 2) : after & ~0o111;
}

function same(a: FileContent | null, b: FileContent | null): boolean {
  if (a === null || b === null) {
    return a === b;
  }
  return a.mode === b.mode && a.bytes.equals(b.bytes);
}
