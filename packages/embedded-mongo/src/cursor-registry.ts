import { randomBytes } from "node:crypto";
import { CommandError } from "./bson/command-error.ts";
import type { Tick } from "./plan/matching-records.ts";
import type { TimeSlice } from "./time-slice.ts";

const idleLimitMs = 10 * 60 * 1000;
/** MongoDB fills up to 16 MB. A reply exists several times in memory, so it is cut earlier. */
const batchBytes = 2 * 1024 * 1024;
export const maxBatchBytes = 16 * 1024 * 1024;

type Results = Iterator<Uint8Array | Tick> | AsyncIterator<Uint8Array | Tick>;

/** The rest of a result, read batch by batch. */
export class Cursor {
  readonly namespace: string;
  readonly noTimeout: boolean;
  readonly #results: Results;
  #held: Uint8Array | undefined;
  id = 0n;
  done = false;
  busy = false;
  lastUsed = Date.now();

  constructor(namespace: string, results: Results, noTimeout = false) {
    this.namespace = namespace;
    this.#results = results;
    this.noTimeout = noTimeout;
  }

  /** Up to `size` documents, and no more bytes than fit into a reply. */
  async batch(size: number, slice: TimeSlice, maxBytes = batchBytes): Promise<Uint8Array[]> {
    const documents: Uint8Array[] = [];
    let bytes = 0;
    while (documents.length < size && !this.done) {
      let document = this.#held;
      this.#held = undefined;
      if (document === undefined) {
        const pause = slice.pause();
        if (pause !== undefined) {
          await pause;
        }
        const step = this.#results.next();
        // Awaiting every document of a synchronous stream would cost more than reading it.
        const { done, value } = step instanceof Promise ? await step : step;
        this.done = done === true;
        document = done === true ? undefined : value;
      }
      if (document === undefined) {
        continue;
      }
      if (documents.length > 0 && bytes + document.length > maxBytes) {
        this.#held = document;
        break;
      }
      bytes += document.length;
      documents.push(document);
    }
    this.lastUsed = Date.now();
    return documents;
  }
  close(): void {
    this.done = true;
    void this.#results.return?.();
  }
}

export class CursorRegistry {
  readonly #cursors = new Map<bigint, Cursor>();

  get size(): number {
    return this.#cursors.size;
  }

  /** Keeps an unfinished cursor for getMore and gives it an id; 0 says that there is no more. */
  keep(cursor: Cursor): bigint {
    this.#dropIdle();
    if (cursor.done) {
      return 0n;
    }
    cursor.id = randomBytes(8).readBigInt64LE(0) & 0x7fffffffffffffffn;
    this.#cursors.set(cursor.id, cursor);
    return cursor.id;
  }

  take(id: bigint, namespace: string): Cursor {
    const cursor = this.#cursors.get(id);
    if (cursor === undefined) {
      throw new CommandError("CursorNotFound", `cursor id ${id} not found`);
    }
    if (cursor.namespace !== namespace) {
      throw new CommandError(
        "Unauthorized",
        `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.namespace}`,
      );
    }
    return cursor;
  }

  remove(id: bigint): boolean {
    const cursor = this.#cursors.get(id);
    cursor?.close();
    return this.#cursors.delete(id);
  }

  removeOf(namespace: string): void {
    for (const [id, cursor] of this.#cursors) {
      if (cursor.namespace === namespace) {
        this.remove(id);
      }
    }
  }

  clear(): void {
    for (const id of this.#cursors.keys()) {
      this.remove(id);
    }
  }

  #dropIdle(): void {
    const limit = Date.now() - idleLimitMs;
    for (const [id, cursor] of this.#cursors) {
      if (!cursor.noTimeout && !cursor.busy && cursor.lastUsed < limit) {
        this.remove(id);
      }
    }
  }
}
