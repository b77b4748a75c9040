import { crc32c } from "./crc32c.ts";
import { documentEnd, type Frame, headerBytes, msgOpCode } from "./frame.ts";
import { ProtocolError } from "./protocol-error.ts";

const checksumPresent = 1;
const moreToCome = 2;
const requiredBits = 0xffff;
const copyBelow = 64 * 1024;

export interface DocumentSequence {
  field: string;
  documents: Buffer[];
}

export interface Message {
  body: Buffer;
  sequences: DocumentSequence[];
  /** The client waits for no reply: an unacknowledged write. */
  moreToCome: boolean;
  checksum: boolean;
}

export function decodeMessage({ bytes }: Frame): Message {
  if (bytes.length < headerBytes + 4) {
    throw new ProtocolError("an OP_MSG without flags");
  }
  const flags = bytes.readUInt32LE(headerBytes);
  const unknown = flags & requiredBits & ~(checksumPresent | moreToCome);
  if (unknown !== 0) {
    throw new ProtocolError(`unknown OP_MSG flags ${unknown}`);
  }

  const checksum = (flags & checksumPresent) !== 0;
  const end = checksum ? bytes.length - 4 : bytes.length;
  if (
    checksum &&
    (end < headerBytes + 4 || crc32c(bytes.subarray(0, end)) !== bytes.readUInt32LE(end))
  ) {
    throw new ProtocolError("the checksum of an OP_MSG does not match", 25, "ChecksumMismatch");
  }

  let body: Buffer | undefined;
  const sequences: DocumentSequence[] = [];
  let offset = headerBytes + 4;
  while (offset < end) {
    const kind = bytes[offset];
    offset += 1;
    if (kind === 0) {
      if (body !== undefined) {
        throw new ProtocolError("an OP_MSG with two bodies");
      }
      const next = documentEnd(bytes, offset, end);
      body = bytes.subarray(offset, next);
      offset = next;
    } else if (kind === 1) {
      if (offset + 4 > end) {
        throw new ProtocolError("a document sequence is cut off");
      }
      const next = offset + bytes.readInt32LE(offset);
      if (next <= offset + 4 || next > end) {
        throw new ProtocolError("a document sequence of invalid length");
      }
      sequences.push(decodeSequence(bytes, offset + 4, next));
      offset = next;
    } else {
      throw new ProtocolError(`unknown OP_MSG section kind ${kind}`);
    }
  }
  if (body === undefined) {
    throw new ProtocolError("an OP_MSG without a body");
  }
  const names = new Set(sequences.map((sequence) => sequence.field));
  if (names.size !== sequences.length) {
    throw new ProtocolError("a document sequence given twice");
  }
  return { body, sequences, moreToCome: (flags & moreToCome) !== 0, checksum };
}

function decodeSequence(bytes: Buffer, start: number, end: number): DocumentSequence {
  const nul = bytes.indexOf(0, start);
  if (nul === -1 || nul >= end) {
    throw new ProtocolError("a document sequence without a name");
  }
  const documents: Buffer[] = [];
  let offset = nul + 1;
  while (offset < end) {
    const next = documentEnd(bytes, offset, end);
    documents.push(bytes.subarray(offset, next));
    offset = next;
  }
  return { field: bytes.toString("utf8", start, nul), documents };
}

/** A reply as the buffers to write one after the other, so that large bodies are not copied. */
export function encodeMessage(
  responseTo: number,
  requestId: number,
  body: Uint8Array,
  checksum: boolean,
): Buffer[] {
  const head = Buffer.allocUnsafe(headerBytes + 5);
  const length = head.length + body.length + (checksum ? 4 : 0);
  head.writeInt32LE(length, 0);
  head.writeInt32LE(requestId, 4);
  head.writeInt32LE(responseTo, 8);
  head.writeInt32LE(msgOpCode, 12);
  head.writeUInt32LE(checksum ? checksumPresent : 0, headerBytes);
  head[headerBytes + 4] = 0;
  const tail = Buffer.from(body.buffer, body.byteOffset, body.length);
  // One write is cheaper than two, as long as there is little to copy.
  if (!checksum) {
    return tail.length < copyBelow ? [Buffer.concat([head, tail])] : [head, tail];
  }
  const sum = Buffer.allocUnsafe(4);
  sum.writeUInt32LE(crc32c(Buffer.concat([head, tail])), 0);
  return [head, tail, sum];
}
