import { statSync } from "node:fs";
import { join } from "node:path";
import { type Database, open, type RootDatabase } from "lmdb";
import { checkFile } from "./check-file.ts";
import { type FolderLock, lockFolder } from "./folder-lock.ts";
import { freeBytes } from "./free-bytes.ts";
import { makeFolder } from "./make-folder.ts";
import { Room } from "./room.ts";

type Table = Database<Buffer, Uint8Array>;

/** 2: a null in an array is keyed as null. What format 1 wrote is brought up to date once. */
const currentFormat = 2;
const formatKey = Buffer.from("format");
const idKey = Buffer.from("next-id");
/** Reserved address space, not disk: a map that never has to move keeps no old copies alive. */
const mapBytes = 2 ** 36;
/** How much may be read before the memory map is renewed, which gives its pages back. */
const recycleAfterBytes = 16 * 1024 * 1024;
const pageBytes = 4096;
/** How long the pages of a file are checked that nobody touched since it was closed. */
const checkUntouchedMs = 2_000;
/** How long jobs are run for one commit. The next ones wait, and others are answered meanwhile. */
const commitMs = 40;
const binaryKeys = { keyEncoding: "binary", encoding: "binary" } as const;

/** lmdb gives the reason of a failed commit in a promise that rejects, beside the error. */
async function reasonOf(failure: unknown): Promise<unknown> {
  try {
    if (failure instanceof Error && "commitError" in failure) {
      await failure.commitError;
    }
    return failure;
  } catch (reason) {
    return reason;
  }
}

/** A write that waits for the next commit, or for its end. */
interface Write {
  run(): void;
  kept(): void;
  failed(error: unknown): void;
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
  #isOutdated = false;
  readonly #path: string;
  #root!: RootDatabase<Buffer, Uint8Array>;
  #bytesRead = 0;
  #waiting: Write[] = [];
  #committing: Promise<void> | undefined;
  #recycling: Promise<void> | undefined;
  #isOpen = false;
  /** A commit failed: what is in memory is not on disk. */
  #isAhead = false;
  #nextId = 1;
  readonly #room: Room;
  /** Told when a commit failed and the store was opened again at what is on disk. */
  onRecovered: () => void = () => {};

  constructor(folder: string, onFull: (failure: Error) => void) {
    makeFolder(folder);
    this.#room = new Room(folder, () => this.#freeInFile(), onFull);
    this.#room.checkStart();
    this.#path = join(folder, "data.mdb");
    try {
      this.lock = lockFolder(folder);
    } catch (error) {
      throw this.#room.failureOf(error);
    }
    try {
      const isUntouched = this.lock.stamp === stampOf(this.#path);
      checkFile(this.#path, isUntouched ? { limitMs: checkUntouchedMs } : {});
      this.#open();
      this.#checkFormat();
    } catch (error) {
      void this.#root?.close();
      void this.lock.release();
      throw this.#room.failureOf(error);
    }
  }

  #open(): void {
    // overlappingSync would resolve a commit before it is on disk. eventTurnBatching makes a promise
    // that nobody awaits: a failed commit would end the process.
    this.#root = open<Buffer, Uint8Array>({
      path: this.#path,
      overlappingSync: false,
      eventTurnBatching: false,
      mapSize: mapBytes,
      maxDbs: 8,
      ...binaryKeys,
    });
    this.docs = this.#root.openDB({ name: "docs", ...binaryKeys });
    this.entries = this.#root.openDB({ name: "entries", ...binaryKeys });
    this.catalog = this.#root.openDB({ name: "catalog", ...binaryKeys });
    this.meta = this.#root.openDB({ name: "meta", ...binaryKeys });
    this.#isOpen = true;
  }

  #checkFormat(): void {
    const stored = this.meta.get(formatKey)?.[0];
    if (stored === undefined) {
      this.markFormat();
    } else if (stored < currentFormat) {
      this.#isOutdated = true;
    } else if (stored !== currentFormat) {
      throw new Error(
        `The data in ${this.#path} has format ${stored}, and this version reads format ${currentFormat}: use the version that wrote it, or restore a dump.`,
      );
    }
    this.#nextId = this.meta.get(idKey)?.readUInt32BE(0) ?? 1;
  }

  /** An earlier format wrote what is stored. */
  get isOutdated(): boolean {
    return this.#isOutdated;
  }

  /** Inside a write, or before anybody else writes. */
  markFormat(): void {
    this.meta.putSync(formatKey, Buffer.from([currentFormat]));
    this.#isOutdated = false;
  }

  /** A new id for a collection or an index. Never given twice. Inside a write only. */
  allocateId(): number {
    const id = this.#nextId;
    this.#nextId += 1;
    const next = Buffer.allocUnsafe(4);
    next.writeUInt32BE(this.#nextId, 0);
    this.meta.putSync(idKey, next);
    return id;
  }

  /** Inside a write, before what makes the store larger. Throws when the disk has no room for it. */
  claimRoom(bytes: number): void {
    this.#room.claim(bytes);
  }

  /** Runs the job in a transaction of its own. Resolves when it is durable; a throw undoes it. */
  write<T>(job: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let keep = (): void => {};
      this.#waiting.push({
        run: () => {
          const result = job();
          keep = () => resolve(result);
        },
        kept: () => keep(),
        failed: reject,
      });
      this.#committing ??= this.#commitAll();
    });
  }

  /** One commit at a time: no job runs before it is known that what it builds on is on disk. */
  async #commitAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      try {
        while (this.#recycling !== undefined || !this.#isOpen) {
          await this.ready();
        }
        await this.#commit();
      } catch (error) {
        for (const write of this.#waiting.splice(0)) {
          write.failed(error);
        }
      }
    }
    this.#committing = undefined;
  }

  /** Each waiting job in a child transaction, and all of them in one that is committed. */
  async #commit(): Promise<void> {
    const ran: Write[] = [];
    try {
      await this.#root.transaction(() => {
        const until = performance.now() + commitMs;
        while (this.#waiting.length > 0 && performance.now() < until) {
          const write = this.#waiting.shift();
          if (write === undefined) {
            break;
          }
          this.#room.measureAgain();
          try {
            // Inside of a transaction it runs at once, and throws what the job throws.
            void this.#root.childTransaction(() => write.run());
            ran.push(write);
          } catch (error) {
            write.failed(this.#room.failureOf(error));
          }
        }
      });
    } catch (failure) {
      const error = this.#room.failureOf(await reasonOf(failure));
      this.#isAhead = true;
      void this.#startRecycling();
      for (const write of ran) {
        write.failed(error);
      }
      // Its jobs never ran if it could not begin.
      if (ran.length === 0) {
        throw error;
      }
      return;
    }
    for (const write of ran) {
      write.kept();
    }
  }

  /** Bytes of the file that a later write may use again. */
  #freeInFile(): number {
    const tables = [this.docs, this.entries, this.catalog, this.meta];
    return freeBytes(
      this.#root.getStats(),
      tables.map((table) => table.getStats()),
    );
  }

  /** The sentence for a failure of the store. The next command reads from the file anew. */
  failureOf(error: unknown): unknown {
    const failure = this.#room.failureOf(error);
    if (failure !== error) {
      this.#bytesRead = recycleAfterBytes;
    }
    return failure;
  }

  /** Counts what was read from the map, in whole pages. */
  noteRead(bytes: number): void {
    this.#bytesRead += Math.ceil(bytes / pageBytes) * pageBytes;
  }

  /**
   * To be awaited wherever a command starts or goes on after a pause, when no iterator is open.
   * Mapped pages count as resident memory until they are unmapped, so after a large scan the
   * environment is closed and opened again, which takes a few milliseconds.
   */
  ready(): Promise<void> | undefined {
    if (this.#recycling !== undefined) {
      return this.#recycling;
    }
    if (!this.#isOpen) {
      return this.#startRecycling();
    }
    if (this.#bytesRead < recycleAfterBytes || this.#committing !== undefined) {
      return undefined;
    }
    return this.#startRecycling();
  }

  #startRecycling(): Promise<void> {
    this.#recycling = this.#recycle();
    // Whoever awaits ready() is told; often nobody does.
    this.#recycling.catch(() => {});
    return this.#recycling;
  }

  /** Fails if the store can't be opened: the next ready() tries again. */
  async #recycle(): Promise<void> {
    try {
      if (this.#isOpen) {
        this.#isOpen = false;
        await this.#root.close();
      }
      this.#open();
      this.#bytesRead = 0;
      if (this.#isAhead) {
        this.onRecovered();
      }
      this.#isAhead = false;
    } catch (error) {
      throw this.#room.failureOf(error);
    } finally {
      this.#recycling = undefined;
    }
  }

  async close(): Promise<void> {
    await this.#committing;
    await this.#recycling?.catch(() => {});
    if (this.#isOpen) {
      await this.#root.close();
    }
    await this.lock.release(stampOf(this.#path));
  }
}

/** Another after every write to the file, also one from outside, and for a copy of it. */
function stampOf(path: string): string {
  const { ino, size, mtimeNs, ctimeNs } = statSync(path, {
    bigint: true,
    throwIfNoEntry: false,
  }) ?? {
    ino: 0n,
    size: 0n,
    mtimeNs: 0n,
    ctimeNs: 0n,
  };
  return [ino, size, mtimeNs, ctimeNs].join(" ");
}
