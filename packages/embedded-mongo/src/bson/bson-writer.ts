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
import { DbPointer, type Doc, type Value } from "./value.ts";

const initialCapacity = 64 * 1024;
const keptCapacity = 4 * 1024 * 1024;
const maxDepth = 200;

/** Writes Values as BSON into a buffer that is reused from document to document. */
export class BsonWriter {
  #bytes = Buffer.allocUnsafe(initialCapacity);
  #pos = 0;
  #depth = 0;

  write(doc: Doc): Buffer {
    this.#pos = 0;
    this.#depth = 0;
    this.#document(doc);
    const copy = Buffer.from(this.#bytes.subarray(0, this.#pos));
    if (this.#bytes.length > keptCapacity) {
      this.#bytes = Buffer.allocUnsafe(initialCapacity);
    }
    return copy;
  }

  #document(doc: Doc): void {
    const start = this.#open();
    for (const [name, value] of doc) {
      this.#element(name, value);
    }
    this.#close(start);
  }

  #array(array: readonly Value[]): void {
    const start = this.#open();
    for (let i = 0; i < array.length; i += 1) {
      this.#element(String(i), array[i] ?? null);
    }
    this.#close(start);
  }

  #open(): number {
    this.#depth += 1;
    if (this.#depth > maxDepth) {
      throw new CommandError(
        "Overflow",
        `BSONObj exceeded maximum nested object depth: ${maxDepth}`,
      );
    }
    return this.#reserve(4);
  }

  #close(start: number): void {
    this.#byte(0);
    this.#bytes.writeInt32LE(this.#pos - start, start);
    this.#depth -= 1;
  }

  #element(name: string, value: Value): void {
    const typeAt = this.#reserve(1);
    this.#cstring(name);
    // Writing the value can replace the buffer, so its type is put in afterwards.
    const type = this.#value(value);
    this.#bytes[typeAt] = type;
  }

  /** Writes the value and returns its BSON type byte. */
  #value(value: Value): number {
    switch (typeof value) {
      case "string":
        this.#string(value);
        return 0x02;
      case "number":
        this.#double(value);
        return 0x01;
      case "boolean":
        this.#byte(value ? 1 : 0);
        return 0x08;
      case "bigint":
        this.#int64(value);
        return 0x12;
      default:
    }
    if (value === null) {
      return 0x0a;
    }
    if (value instanceof Map) {
      this.#document(value);
      return 0x03;
    }
    if (Array.isArray(value)) {
      this.#array(value);
      return 0x04;
    }
    if (value instanceof Int32) {
      this.#int32(value.value);
      return 0x10;
    }
    if (value instanceof Date) {
      const millis = value.getTime();
      this.#int64(Number.isNaN(millis) ? 0n : BigInt(millis));
      return 0x09;
    }
    if (value instanceof ObjectId) {
      this.#raw(value.id);
      return 0x07;
    }
    return this.#rareValue(value);
  }

  #rareValue(value: Value): number {
    if (value instanceof Binary) {
      this.#int32(value.position);
      this.#byte(value.sub_type);
      this.#raw(value.buffer.subarray(0, value.position));
      return 0x05;
    }
    if (value instanceof Timestamp) {
      this.#int32(value.low);
      this.#int32(value.high);
      return 0x11;
    }
    if (value instanceof Decimal128) {
      this.#raw(value.bytes);
      return 0x13;
    }
    if (value instanceof BSONRegExp) {
      this.#cstring(value.pattern);
      this.#cstring(value.options);
      return 0x0b;
    }
    if (value instanceof Code) {
      return this.#code(value);
    }
    if (value instanceof BSONSymbol) {
      this.#string(value.value);
      return 0x0e;
    }
    if (value instanceof DbPointer) {
      this.#string(value.namespace);
      this.#raw(value.id.id);
      return 0x0c;
    }
    if (value instanceof MinKey) {
      return 0xff;
    }
    if (value instanceof MaxKey) {
      return 0x7f;
    }
    return 0x06;
  }

  #code(value: Code): number {
    if (!(value.scope instanceof Map)) {
      this.#string(value.code);
      return 0x0d;
    }
    const start = this.#reserve(4);
    this.#string(value.code);
    this.#document(value.scope);
    this.#bytes.writeInt32LE(this.#pos - start, start);
    return 0x0f;
  }

  #reserve(length: number): number {
    const start = this.#pos;
    const needed = start + length;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, start);
      this.#bytes = larger;
    }
    this.#pos = needed;
    return start;
  }

  #byte(byte: number): void {
    const at = this.#reserve(1);
    this.#bytes[at] = byte;
  }

  #int32(value: number): void {
    const at = this.#reserve(4);
    this.#bytes.writeInt32LE(value, at);
  }

  #int64(value: bigint): void {
    const at = this.#reserve(8);
    this.#bytes.writeBigInt64LE(value, at);
  }

  #double(value: number): void {
    const at = this.#reserve(8);
    this.#bytes.writeDoubleLE(value, at);
  }

  #raw(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
  }

  #utf8(text: string): number {
    const at = this.#reserve(text.length * 3);
    const written = this.#bytes.write(text, at, "utf8");
    this.#pos = at + written;
    return written;
  }

  #cstring(text: string): void {
    if (text.includes("\0")) {
      throw new CommandError("BadValue", "field names and patterns can't contain null bytes");
    }
    this.#utf8(text);
    this.#byte(0);
  }

  #string(text: string): void {
    const lengthAt = this.#reserve(4);
    const written = this.#utf8(text);
    this.#byte(0);
    this.#bytes.writeInt32LE(written + 1, lengthAt);
  }
}
