const initialCapacity = 1024;

/** Collects the bytes of one index key in a buffer that is reused from key to key. */
export class KeyWriter {
  #bytes = Buffer.allocUnsafe(initialCapacity);
  #length = 0;

  start(): void {
    this.#length = 0;
  }

  get position(): number {
    return this.#length;
  }

  finish(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.#bytes, 0, this.#length);
  }

  byte(byte: number): void {
    const at = this.#reserve(1);
    this.#bytes[at] = byte;
  }

  raw(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
  }

  uint32(value: number): void {
    const at = this.#reserve(4);
    this.#bytes.writeUInt32BE(value, at);
  }

  /** An int64 with its sign flipped, so that negative numbers come first. */
  int64(value: number): void {
    const at = this.#reserve(8);
    const high = Math.floor(value / 2 ** 32);
    this.#bytes.writeInt32BE(high ^ 0x80000000, at);
    this.#bytes.writeUInt32BE(value - high * 2 ** 32, at + 4);
  }

  /** Sign-flipped IEEE bits: byte order is numeric order. NaN is all zeros, before -∞. */
  double(value: number): void {
    const at = this.#reserve(8);
    if (Number.isNaN(value)) {
      this.#bytes.fill(0, at, at + 8);
      return;
    }
    this.#bytes.writeDoubleBE(value === 0 ? 0 : value, at);
    if (value < 0) {
      this.invert(at);
    } else {
      this.#bytes[at] = (this.#bytes[at] ?? 0) | 0x80;
    }
  }

  /** UTF-8 with 0 written as 0 255, ended by 0 0. */
  text(text: string): void {
    let from = 0;
    for (let zero = text.indexOf("\0"); zero >= 0; zero = text.indexOf("\0", from)) {
      this.#utf8(text.slice(from, zero));
      this.byte(0);
      this.byte(255);
      from = zero + 1;
    }
    this.#utf8(from === 0 ? text : text.slice(from));
    this.byte(0);
    this.byte(0);
  }

  /** Inverts what was written since a position: the order of descending fields. */
  invert(from: number): void {
    for (let i = from; i < this.#length; i += 1) {
      this.#bytes[i] = 255 - (this.#bytes[i] ?? 0);
    }
  }

  #utf8(text: string): void {
    const at = this.#reserve(text.length * 3);
    this.#length = at + this.#bytes.write(text, at, "utf8");
  }

  #reserve(count: number): number {
    const at = this.#length;
    const needed = at + count;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, at);
      this.#bytes = larger;
    }
    this.#length = needed;
    return at;
  }
}
