import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { crc32c } from "./crc32c.ts";
import { FrameReader, headerBytes } from "./frame.ts";

function message(payload: Uint8Array, requestId: number): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(headerBytes), payload]);
  bytes.writeInt32LE(bytes.length, 0);
  bytes.writeInt32LE(requestId, 4);
  bytes.writeInt32LE(2013, 12);
  return bytes;
}

describe("FrameReader", () => {
  it("gives the same messages however the stream is cut", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 60 }), { minLength: 1, maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
        (payloads, cuts) => {
          const stream = Buffer.concat(payloads.map(message));
          const reader = new FrameReader();
          const frames: Buffer[] = [];
          let at = 0;
          for (let i = 0; at < stream.length; i += 1) {
            const size = cuts[i % cuts.length] ?? 1;
            reader.push(stream.subarray(at, at + size));
            at += size;
            for (let frame = reader.next(); frame !== undefined; frame = reader.next()) {
              frames.push(Buffer.from(frame.bytes));
            }
          }
          expect(frames).toEqual(payloads.map(message));
        },
      ),
    );
  });
});

describe("crc32c", () => {
  it("knows the published check values", () => {
    expect(crc32c(Buffer.from("123456789"))).toBe(0xe3069283);
    expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa);
    expect(crc32c(Buffer.alloc(0))).toBe(0);
  });
});
