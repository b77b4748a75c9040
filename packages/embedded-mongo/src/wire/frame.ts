import { ProtocolError } from "./protocol-error.ts";

export const headerBytes = 16;
export const maxMessageBytes = 48_000_000;
export const maxDocumentBytes = 16 * 1024 * 1024;
/** What a message may carry above the limit of a document: MongoDB leaves room for metadata. */
const maxInternalDocumentBytes = maxDocumentBytes + 16 * 1024;

export const replyOpCode = 1;
export const queryOpCode = 2004;
export const msgOpCode = 2013;

export interface Frame {
  requestId: number;
  opCode: number;
  /** The whole message with its header: the checksum covers both. */
  bytes: Buffer;
}

/** Cuts a byte stream into messages. Takes chunks of any size. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #buffered = 0;

  get buffered(): number {
    return this.#buffered;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
  }

  /** The next whole message, or undefined when more bytes are needed. */
  next(): Frame | undefined {
    if (this.#buffered < headerBytes) {
      return undefined;
    }
    const head = this.#join(headerBytes);
    const length = head.readInt32LE(0);
    if (length < headerBytes || length > maxMessageBytes) {
      throw new ProtocolError(
        `message length ${length} is invalid: it must be between ${headerBytes} and ${maxMessageBytes} bytes`,
      );
    }
    if (this.#buffered < length) {
      return undefined;
    }
    const joined = this.#join(length);
    const bytes = joined.subarray(0, length);
    const rest = joined.subarray(length);
    if (rest.length > 0) {
      this.#chunks[0] = rest;
    } else {
      this.#chunks.shift();
    }
    this.#buffered -= length;
    return { requestId: bytes.readInt32LE(4), opCode: bytes.readInt32LE(12), bytes };
  }

  /** The first chunk, made long enough to hold `size` bytes. Joins only what is needed. */
  #join(size: number): Buffer {
    const first = this.#chunks[0];
    if (first !== undefined && first.length >= size) {
      return first;
    }
    let count = 0;
    let total = 0;
    while (total < size) {
      total += this.#chunks[count]?.length ?? 0;
      count += 1;
    }
    const joined = Buffer.concat(this.#chunks.slice(0, count), total);
    this.#chunks.splice(0, count, joined);
    return joined;
  }
}

/** Where the document that starts at `offset` ends. Checks its length and its last byte. */
export function documentEnd(bytes: Buffer, offset: number, limit: number): number {
  if (offset + 5 > limit) {
    throw new ProtocolError("a BSON document is cut off", 22, "InvalidBSON");
  }
  const size = bytes.readInt32LE(offset);
  if (size > maxInternalDocumentBytes) {
    throw new ProtocolError(
      `BSONObj size: ${size} is invalid. Size must be between 0 and ${maxInternalDocumentBytes}(16MB)`,
      10334,
      "BSONObjectTooLarge",
    );
  }
  const end = offset + size;
  if (size < 5 || end > limit || bytes[end - 1] !== 0) {
    throw new ProtocolError(`BSON document of invalid length ${size}`, 22, "InvalidBSON");
  }
  return end;
}
