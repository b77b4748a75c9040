import { statfsSync } from "node:fs";
import { CommandError } from "../bson/command-error.ts";

/** Left free while everything but deletes is refused: these need a little room themselves. */
const reservedBytes = 4 * 1024 * 1024;
/** Below this a memory map of a new file may end the process with SIGBUS. */
const startBytes = 1024 * 1024;
/** A document is copied with its page, and has index entries. */
const writtenPerByte = 2;

const outOfDiskSpace = 14031;
/** EIO (a write that was cut short), EFBIG, ENOSPC, EDQUOT, as lmdb gives them. */
const noRoom = new Set<unknown>([5, 27, 28, 122]);

/** What the disk has left for the store. */
export class Room {
  readonly #folder: string;
  readonly #freeInFile: () => number;
  readonly #onFull: (failure: Error) => void;
  readonly #freeOnDisk: (folder: string) => number;
  #left = 0;
  #wasFull = false;

  constructor(
    folder: string,
    freeInFile: () => number,
    onFull: (failure: Error) => void,
    freeOnDisk = bytesAvailable,
  ) {
    this.#folder = folder;
    this.#freeInFile = freeInFile;
    this.#onFull = onFull;
    this.#freeOnDisk = freeOnDisk;
  }

  checkStart(): void {
    if (this.#freeOnDisk(this.#folder) >= startBytes) {
      return;
    }
    throw new Error(
      `The disk of the data folder ${this.#folder} is full: make room, then start again. Nothing was changed.`,
    );
  }

  measureAgain(): void {
    this.#left = 0;
  }

  claim(bytes: number): void {
    const wanted = bytes * writtenPerByte;
    if (this.#left < wanted) {
      this.#left = this.#freeOnDisk(this.#folder) - reservedBytes;
    }
    // What was deleted is free inside of the file, not on the disk.
    if (this.#left < wanted) {
      this.#left = this.#freeInFile() - reservedBytes / 4;
    }
    if (this.#left < wanted) {
      throw this.#full();
    }
    this.#left -= wanted;
    this.#wasFull = false;
  }

  /** The sentence for a failure of the store; a command's own failure as it is. */
  failureOf(error: unknown): unknown {
    if (!(error instanceof Error) || error instanceof CommandError) {
      return error;
    }
    const code = "code" in error ? error.code : undefined;
    if (typeof code !== "number") {
      return error;
    }
    if (noRoom.has(code)) {
      return this.#full();
    }
    return new Error(
      `The database in ${this.#folder} could not be read or written: ${error.message}.`,
      { cause: error },
    );
  }

  /** Each client is told; the log once, until there was room again. */
  #full(): CommandError {
    const failure = new CommandError(
      outOfDiskSpace,
      `The write could not be stored: the disk of the data folder ${this.#folder} is full. Make room; until then it can be read from.`,
    );
    if (!this.#wasFull) {
      this.#onFull(failure);
    }
    this.#wasFull = true;
    return failure;
  }
}

function bytesAvailable(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Whether a database in this folder refuses to grow. */
export function isDiskFull(folder: string): boolean {
  return bytesAvailable(folder) < reservedBytes;
}
