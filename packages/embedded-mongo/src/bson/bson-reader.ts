import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  Int32,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from "bson";
import { CommandError } from "./command-error.ts";
import { BsonUndefined, DbPointer, type Doc, type Value } from "./value.ts";

const maxDepth = 200;
const minDocumentSize = 5;
const maxDate = 8_640_000_000_000_000n;

/** Reads BSON into Values. Every length is checked, so foreign bytes can only cause InvalidBSON. */
export class BsonReader {
  readonly #bytes: Buffer;
  #pos: number;
  #depth = 0;

  constructor(bytes: Uint8Array, offset = 0) {
    this.#bytes = Buffer.isBuffer(bytes)
      ? bytes
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#pos = offset;
  }

  document(): Doc {
    const end = this.#enter();
    const doc: Doc = new Map();
    for (let type = this.#byte(); type !== 0; type = this.#byte()) {
      const name = this.#cstring();
      doc.set(name, this.#value(type));
    }
    this.#leave(end);
    return doc;
  }

  #array(): Value[] {
    const end = this.#enter();
    const array: Value[] = [];
    for (let type = this.#byte(); type !== 0; type = this.#byte()) {
      while (this.#byte() !== 0) {}
      array.push(this.#value(type));
    }
    this.#leave(end);
    return array;
  }

  #enter(): number {
    const start = this.#pos;
    const size = this.#int32();
    if (size < minDocumentSize || start + size > this.#bytes.length) {
      throw invalid("incorrect BSON length");
    }
    this.#depth += 1;
    if (this.#depth > maxDepth) {
      throw new CommandError(
        "Overflow",
        `BSONObj exceeded maximum nested object depth: ${maxDepth}`,
      );
    }
    return start + size;
  }

  #leave(end: number): void {
    this.#depth -= 1;
    if (this.#pos !== end) {
      throw invalid("a document does not end where its length says");
    }
  }

  #value(type: number): Value {
    switch (type) {
      case 0x01:
        return this.#bytes.readDoubleLE(this.#skip(8));
      case 0x02:
        return this.#string();
      case 0x03:
        return this.document();
      case 0x04:
        return this.#array();
      case 0x05:
        return this.#binary();
      case 0x06:
        return BsonUndefined.value;
      case 0x07:
        return new ObjectId(this.#take(12));
      case 0x08:
        return this.#boolean();
      case 0x09:
        return this.#date();
      case 0x0a:
        return null;
      case 0x0b:
        return this.#regex();
      case 0x0c:
        return new DbPointer(this.#string(), new ObjectId(this.#take(12)));
      case 0x0d:
        return new Code(this.#string());
      case 0x0e:
        return new BSONSymbol(this.#string());
      case 0x0f:
        return this.#codeWithScope();
      case 0x10:
        return new Int32(this.#int32());
      case 0x11:
        return new Timestamp(this.#bytes.readBigUInt64LE(this.#skip(8)));
      case 0x12:
        return this.#bytes.readBigInt64LE(this.#skip(8));
      case 0x13:
        return new Decimal128(Buffer.from(this.#take(16)));
      case 0xff:
        return new MinKey();
      case 0x7f:
        return new MaxKey();
      default:
        throw invalid(`unrecognized BSON type ${type}`);
    }
  }

  #skip(length: number): number {
    const start = this.#pos;
    if (length < 0 || start + length > this.#bytes.length) {
      throw invalid("value past the end");
    }
    this.#pos = start + length;
    return start;
  }

  #take(length: number): Buffer {
    const start = this.#skip(length);
    return this.#bytes.subarray(start, start + length);
  }

  #byte(): number {
    const byte = this.#bytes[this.#pos];
    if (byte === undefined) {
      throw invalid("value past the end");
    }
    this.#pos += 1;
    return byte;
  }

  #int32(): number {
    return this.#bytes.readInt32LE(this.#skip(4));
  }

  #cstring(): string {
    const bytes = this.#bytes;
    const pos = this.#pos;
    let hash = 0;
    let end = pos;
    for (let byte = bytes[end]; byte !== 0; byte = bytes[end]) {
      if (byte === undefined) {
        throw invalid("a name without an end");
      }
      hash = (hash * 31 + byte) | 0;
      end += 1;
    }
    this.#pos = end + 1;
    return nameAt(bytes, pos, end, hash);
  }

  #string(): string {
    const length = this.#int32();
    if (length < 1) {
      throw invalid("bad string length");
    }
    const start = this.#skip(length);
    const end = start + length - 1;
    if (this.#bytes[end] !== 0) {
      throw invalid("a string without an end");
    }
    return this.#bytes.toString("utf8", start, end);
  }

  #boolean(): boolean {
    const byte = this.#byte();
    if (byte > 1) {
      throw invalid("a boolean that is neither 0 nor 1");
    }
    return byte === 1;
  }

  #date(): Date {
    const millis = this.#bytes.readBigInt64LE(this.#skip(8));
    if (millis > maxDate || millis < -maxDate) {
      throw new CommandError("BadValue", `date ${millis} is outside the supported range`);
    }
    return new Date(Number(millis));
  }

  #binary(): Binary {
    const length = this.#int32();
    const subtype = this.#byte();
    return new Binary(Buffer.from(this.#take(length)), subtype);
  }

  #regex(): BSONRegExp {
    const pattern = this.#cstring();
    const options = this.#cstring();
    try {
      return new BSONRegExp(pattern, options);
    } catch {
      throw new CommandError(51108, `invalid flag in regex options: ${options}`);
    }
  }

  #codeWithScope(): Code {
    this.#int32();
    const code = this.#string();
    return new Code(code, this.document());
  }
}

const cachedNames = 1024;
const maxCachedName = 32;
const names: (string | undefined)[] = Array.from({ length: cachedNames });

/** Field names recur from document to document, so that their strings are kept. */
function nameAt(bytes: Buffer, start: number, end: number, hash: number): string {
  const slot = hash & (cachedNames - 1);
  const known = names[slot];
  if (known !== undefined && isNameAt(known, bytes, start, end)) {
    return known;
  }
  const name = bytes.toString("utf8", start, end);
  const isAscii = name.length === end - start;
  if (isAscii && name.length <= maxCachedName) {
    names[slot] = name;
  }
  return name;
}

function isNameAt(name: string, bytes: Buffer, start: number, end: number): boolean {
  if (name.length !== end - start) {
    return false;
  }
  for (let i = 0; i < name.length; i += 1) {
    if (name.charCodeAt(i) !== bytes[start + i]) {
      return false;
    }
  }
  return true;
}

function invalid(reason: string): CommandError {
  return new CommandError("InvalidBSON", `Invalid BSON: ${reason}`);
}
