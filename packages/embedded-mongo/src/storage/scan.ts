import type { Database } from "lmdb";
import type { Range } from "./record-key.ts";

const firstChunk = 16;
const maxChunk = 256;

interface Entry {
  key: Buffer;
  value: Buffer;
}

/**
 * Walks a range in chunks and opens a new iterator for each, so a paused walk holds no snapshot
 * (which would keep freed pages from being used again) and goes on after the key it saw last.
 */
export function* scan(
  table: () => Database<Buffer, Uint8Array>,
  range: Range,
  reverse: boolean,
  chunkBytes = 1024 * 1024,
): Generator<Entry> {
  let { start, end } = range;
  let exclusiveStart = false;
  let limit = firstChunk;
  for (;;) {
    const chunk: Entry[] = [];
    let bytes = 0;
    const options = reverse
      ? { start: end, end: start, reverse: true, exclusiveStart: true, inclusiveEnd: true, limit }
      : { start, end, exclusiveStart, limit };
    for (const { key, value } of table().getRange(options)) {
      if (!Buffer.isBuffer(key)) {
        throw new Error("a key that is not binary");
      }
      chunk.push({ key, value });
      bytes += value.length;
      if (bytes > chunkBytes) {
        break;
      }
    }
    yield* chunk;
    const last = chunk.at(-1);
    if (last === undefined || (chunk.length < limit && bytes <= chunkBytes)) {
      return;
    }
    if (reverse) {
      end = last.key;
    } else {
      start = last.key;
      exclusiveStart = true;
    }
    limit = Math.min(limit * 4, maxChunk);
  }
}
