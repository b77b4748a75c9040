import { describe, expect, it } from "vitest";
import { plainText } from "./plain-text.ts";
import { replaceText } from "./tools/replace-text.ts";
import { isInnerAddress } from "./tools/web/is-inner-address.ts";

describe("plainText", () => {
  it("drops colours, titles and what was overwritten", () => {
    expect(plainText("\u001b[1;31mred\u001b[0m\r\n")).toBe("red\n");
    expect(plainText("\u001b]0;title\u0007text")).toBe("text");
    expect(plainText("10%\r50%\r100%\ndone")).toBe("100%\ndone");
  });
});

describe("replaceText", () => {
  it("takes text as it stands, also what looks like a pattern", () => {
    expect(replaceText("a.b a$b", "a$b", "$&", false)).toEqual({ ok: true, text: "a.b $&" });
    expect(replaceText("x x", "x", "y", true)).toEqual({ ok: true, text: "y y" });
  });

  it("keeps the line ends of the file", () => {
    expect(replaceText("a\r\nb\r\nc", "a\nb", "x\ny", false)).toEqual({
      ok: true,
      text: "x\r\ny\r\nc",
    });
  });
});

describe("isInnerAddress", () => {
  it.each([
    "127.0.0.1",
    "10.1.2.3",
    "192.168.0.1",
    "169.254.169.254",
    "::1",
    "fd00::1",
    "::ffff:10.0.0.1",
  ])("%s", (address) => expect(isInnerAddress(address)).toBe(true));
  it.each(["1.1.1.1", "172.32.0.1", "2606:4700::1111"])("not %s", (address) =>
    expect(isInnerAddress(address)).toBe(false),
  );
});
