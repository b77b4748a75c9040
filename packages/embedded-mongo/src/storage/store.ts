import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Database, open, type RootDatabase } from "lmdb";
import { CommandError } from "../query/error.ts";
import { type FolderLock, lockFolder } from "./folder-lock.ts";

type Table = Database<Buffer, Uint8Array>;

const FORMAT = 1;
const FORMAT_KEY = Buffer.from("format");
const ID_KEY = Buffer.from("next-id");
/** Reserved address space, not disk: a map that never has to move keeps no old copies alive. */
const MAP_BYTES = 2 ** 36;
/** How much may be read before the memory map is renewed, which gives its pages back. */
const RECYCLE_AFTER_BYTES = 16 * 1024 * 1024;
const PAGE_BYTES = 4096;
const BINARY = { keyEncoding: "binary", encoding: "binary" } as const;

const NO_SPACE = 28;

/** lmdb gives the reason of a failed commit in a promise that rejects, beside the error. */
async function commitFailure(failure: unknown): Promise<Error> {
  let reason: unknown = failure;
  try {
    if (failure instanceof Error && "commitError" in failure) await failure.commitError;
  } catch (why) {
    reason = why;
  }
  const code = reason instanceof Error && "code" in reason ? reason.code : undefined;
  if (code === NO_SPACE) return new CommandError(14031, "The disk is full: nothing was written.");
  return new Error("A write could not be stored: nothing of it was kept.", { cause: reason });
}

/**
 * The embedded engine. Reads are synchronous; a write command is one nested transaction, and the
 * ones that arrive together share a durable commit.
 */
export class Store {
  /** [collection id, record id] → document, in order of insertion. */
  docs!: Table;
  /** [index id, key (, record id)] → record id, or nothing. */
  entries!: Table;
  /** Collection id → description. */
  catalog!: Table;
  /** Format, id counter, and what is left to purge. */
  meta!: Table;
  readonly lock: FolderLock;
  readonly #path: string;
  #root!: RootDatabase<Buffer, Uint8Array>;
  #bytesRead = 0;
  #writing = 0;
  #recycling: Promise<void> | undefined;
  #nextId = 1;
  #onIdle: (() => void) | undefined;
  /** Told when a commit failed and the store was opened again at what is on disk. */
  onRecovered: () => void = () => {};

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.lock = lockFolder(folder);
    this.#path = join(folder, "data.mdb");
    try {
      this.#open();
      this.#checkFormat();
    } catch (error) {
      void this.#root?.close();
      void this.lock.release();
      throw error;
    }
  }

  #open(): void {
    // overlappingSync would resolve a commit before it is on disk.
    this.#root = open<Buffer, Uint8Array>({
      path: this.#path,
      overlappingSync: false,
      mapSize: MAP_BYTES,
      maxDbs: 8,
      ...BINARY,
    });
    this.docs = this.#root.openDB({ name: "docs", ...BINARY });
    this.entries = this.#root.openDB({ name: "entries", ...BINARY });
    this.catalog = this.#root.openDB({ name: "catalog", ...BINARY });
    this.meta = this.#root.openDB({ name: "meta", ...BINARY });
  }

  #checkFormat(): void {
    const stored = this.meta.get(FORMAT_KEY);
    if (stored === undefined) this.meta.putSync(FORMAT_KEY, Buffer.from([FORMAT]));
    else if (stored[0] !== FORMAT) {
      throw new Error(
        `The data in ${this.#path} has format ${stored[0]}, and this version reads format ${FORMAT}: use the version that wrote it, or restore a dump.`,
      );
    }
    this.#nextId = this.meta.get(ID_KEY)?.readUInt32BE(0) ?? 1;
  }

  /** A new id for a collection or an index. Never given twice. Inside a write only. */
  allocateId(): number {
    const id = this.#nextId;
    this.#nextId += 1;
    const next = Buffer.allocUnsafe(4);
    next.writeUInt32BE(this.#nextId, 0);
    this.meta.putSync(ID_KEY, next);
    return id;
  }

  /** Runs the job in a transaction of its own. Resolves when it is durable; a throw undoes it. */
  async write<T>(job: () => T): Promise<T> {
    while (this.#recycling !== undefined) await this.#recycling;
    this.#writing += 1;
    let ran = false;
    try {
      return await this.#root.childTransaction(() => {
        const result = job();
        ran = true;
        return result;
      });
    } catch (error) {
      if (!ran) throw error;
      // The job went well and its commit failed (a full disk): what is in memory is ahead of it.
      this.#recycling ??= this.#recoverFromFailedCommit();
      throw await commitFailure(error);
    } finally {
      this.#writing -= 1;
      if (this.#writing === 0) this.#onIdle?.();
    }
  }

  /** Counts what was read from the map, in whole pages. */
  noteRead(bytes: number): void {
    this.#bytesRead += Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
  }

  /**
   * To be awaited wherever a command starts or goes on after a pause, when no iterator is open.
   * Mapped pages count as resident memory until they are unmapped, so after a large scan the
   * environment is closed and opened again, which takes a few milliseconds.
   */
  ready(): Promise<void> | undefined {
    if (this.#recycling !== undefined) return this.#recycling;
    if (this.#bytesRead < RECYCLE_AFTER_BYTES || this.#writing > 0) return undefined;
    this.#recycling = this.#recycle();
    return this.#recycling;
  }

  async #recoverFromFailedCommit(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    this.#onIdle = undefined;
    await this.#recycle();
    this.onRecovered();
  }

  async #recycle(): Promise<void> {
    await this.#root.close();
    this.#open();
    this.#bytesRead = 0;
    this.#recycling = undefined;
  }

  async close(): Promise<void> {
    await this.#recycling;
    await this.#root.close();
    await this.lock.release();
  }
}
