import { describe, expect, it } from "vitest";
import { jsonLines, serverSentEvents, wholeBody } from "./frame-reader.ts";

const read = (reader: ReturnType<typeof jsonLines>, text: string, size: number) => {
  const frames: string[] = [];
  for (let at = 0; at < text.length; at += size) {
    frames.push(...reader.push(text.slice(at, at + size)));
  }
  return [...frames, ...reader.rest()];
};

describe("serverSentEvents", () => {
  const text =
    ': keep-alive\n\nevent: x\ndata: {"a":1}\n\ndata:{"b":\r\ndata: 2}\r\n\r\nid: 4\n\ndata: [DONE]';

  it.each([1, 2, 7, 1000])("reads the data of each event in pieces of %s", (size) => {
    expect(read(serverSentEvents(), text, size)).toEqual(['{"a":1}', '{"b":\n2}', "[DONE]"]);
  });
});

describe("jsonLines", () => {
  it.each([1, 3, 1000])("reads a frame a line in pieces of %s", (size) => {
    expect(read(jsonLines(), '{"a":1}\n\n{"b":2}\n{"c":3}', size)).toEqual([
      '{"a":1}',
      '{"b":2}',
      '{"c":3}',
    ]);
  });

  it("refuses a line that never ends", () => {
    const reader = jsonLines();
    const piece = "x".repeat(16 * 1024 * 1024);
    expect(() => {
      for (let n = 0; n < 5; n++) {
        reader.push(piece);
      }
    }).toThrow("a line of more than");
  });
});

describe("wholeBody", () => {
  it("is one frame, or none when empty", () => {
    expect(read(wholeBody(), '{\n"a": 1\n}\n', 3)).toEqual(['{\n"a": 1\n}']);
    expect(wholeBody().rest()).toEqual([]);
    const endless = wholeBody();
    endless.push("x".repeat(8 * 1024 * 1024));
    expect(() => endless.push("x")).toThrow("an answer of more than");
  });
});
