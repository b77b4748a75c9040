import { describe, expect, it } from "vitest";
import { ansiPieces, plainAnsi } from "./ansi.ts";

const esc = "\u001b";

describe("terminal output", () => {
  it("keeps colours as classes", () => {
    expect(ansiPieces(`${esc}[31mred${esc}[0m plain`)).toMatchObject([
      { text: "red", className: "ansi-red-fg" },
      { text: " plain", className: "" },
    ]);
  });

  it("shows a progress line as it stands at the end", () => {
    expect(plainAnsi("10%\r50%\r100%\ndone\n")).toBe("100%\ndone\n");
    expect(plainAnsi("loading\rok")).toBe("okading");
    expect(plainAnsi("windows\r\nlines\r\n")).toBe("windows\nlines\n");
  });

  it("drops titles, links, cursor moves and clears", () => {
    const hostile = `${esc}]0;title\u0007a${esc}]8;;https://evil.example${esc}\\b${esc}[2J${esc}[10;5Hc${esc}Pq#${esc}\\d${esc}c`;
    expect(plainAnsi(hostile)).toBe("abcd");
  });

  it("never lets a lone escape or a bell through", () => {
    expect(
      ansiPieces(`x${esc}\u0007y`)
        .map(({ text }) => text)
        .join(""),
    ).toBe("xy");
  });
});
