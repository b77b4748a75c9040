import { describe, expect, it } from "vitest";
import { PlainTextStream, plainText } from "./plain-text.ts";

const hostile = "a\u001B[31mred\u001B[0m\u001B]52;c;aGk=\u0007b\u0008\u009B2Jc\r\nd\re\tf";

describe("plainText", () => {
  it("keeps nothing that a terminal would obey", () => {
    expect(plainText(hostile)).toBe("aredbc\nd\ne\tf");
  });

  it("gives the same for pieces, wherever they are cut", () => {
    for (let cut = 0; cut <= hostile.length; cut += 1) {
      const stream = new PlainTextStream();
      const shown = stream.push(hostile.slice(0, cut)) + stream.push(`${hostile.slice(cut)}.`);
      expect(shown, String(cut)).toBe("aredbc\nd\ne\tf.");
    }
  });

  it("does not hold back text for ever for a sequence that never ends", () => {
    const stream = new PlainTextStream();
    stream.push("\u001B]0;");
    expect(stream.push("x".repeat(300))).toContain("xxx");
  });
});
