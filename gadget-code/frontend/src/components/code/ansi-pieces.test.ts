import { describe, expect, it } from "vitest";
import { ansiPieces, plainAnsi } from "./ansi-pieces.ts";

const esc = "\u001b";

describe("terminal output", () => {
  it("keeps colours as classes", () => {
    expect(ansiPieces(`${esc}[31mred${esc}[0m plain`)).toMatchObject([
      { text: "red", className: "ansi-red-fg" },
      { text: " plain", className: "" },
    ]);
  });

  it("keeps 256 colours, grounds and inverse", () => {
    const [orange, ground, both, inverse] = ansiPieces(
      `${esc}[38;5;208ma${esc}[0m${esc}[41mb${esc}[0m${esc}[38;5;231;48;5;19mc${esc}[0m${esc}[7md${esc}[0m`,
    );
    expect(orange).toEqual({ text: "a", className: "", style: { color: "rgb(255, 135, 0)" } });
    expect(ground).toMatchObject({ text: "b", className: "ansi-red-bg" });
    expect(both?.style).toEqual({
      color: "rgb(255, 255, 255)",
      backgroundColor: "rgb(0, 0, 175)",
    });
    expect(inverse?.className).toContain("ansi-inverse");
    expect(ansiPieces(`${esc}[48;2;250;250;250mx`)[0]?.style).toEqual({
      color: "rgb(0, 0, 0)",
      backgroundColor: "rgb(250, 250, 250)",
    });
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
