import { successor } from "../keys/index-key.ts";

export const ridLength = 8;

/** A part of a table, by its keys. */
export interface Range {
  start: Uint8Array;
  /** Exclusive. */
  end: Uint8Array;
}

/** All keys that begin with this prefix. */
export function prefixRange(prefix: Uint8Array): Range {
  return { start: prefix, end: after(prefix) };
}

/** The first key after all that begin with this prefix. */
export function after(prefix: Uint8Array): Uint8Array {
  return successor(Uint8Array.from(prefix));
}

/** An id as the prefix of all keys that belong to it. */
export function idPrefix(id: number): Buffer {
  const prefix = Buffer.allocUnsafe(4);
  prefix.writeUInt32BE(id, 0);
  return prefix;
}

export function recordKey(collectionId: number, rid: number): Buffer {
  const key = Buffer.allocUnsafe(4 + ridLength);
  key.writeUInt32BE(collectionId, 0);
  writeRid(key, rid, 4);
  return key;
}

export function ridBytes(rid: number): Buffer {
  const bytes = Buffer.allocUnsafe(ridLength);
  writeRid(bytes, rid, 0);
  return bytes;
}

/** The record id in the last eight bytes. */
export function ridAtEnd(bytes: Buffer): number {
  const at = bytes.length - ridLength;
  return bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
}

function writeRid(target: Buffer, rid: number, at: number): void {
  target.writeUInt32BE(Math.floor(rid / 2 ** 32), at);
  target.writeUInt32BE(rid >>> 0, at + 4);
}
