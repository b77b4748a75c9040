import { act, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { CodeBlock } from "./CodeBlock.tsx";
import type { HighlightAnswer, HighlightQuestion } from "./use-highlight.ts";

type Listener = (event: { data: HighlightAnswer }) => void;

/** Colours each line whole, as soon as it is let. */
class FakeWorker {
  static answer = () => {};
  #listener: Listener = () => {};
  addEventListener(_: "message", listener: Listener): void {
    this.#listener = listener;
  }
  postMessage({ id, code }: HighlightQuestion): void {
    FakeWorker.answer = () => {
      const lines = code.split("\n").map((text) => [{ text, light: "#00f", dark: "#aaf" }]);
      this.#listener({ data: { id, lines } });
    };
  }
}

afterEach(() => vi.unstubAllGlobals());

it("colours that come later add no line and take none away", () => {
  vi.stubGlobal("Worker", FakeWorker);
  const code = "const one = 1;\n\nconst two = 2;\n";
  render(<CodeBlock code={code} language="ts" />);
  const box = screen.getByRole("figure").querySelector("pre");
  expect(box?.textContent).toBe(code);
  expect(box?.querySelector("[style]")).toBeNull();
  act(() => FakeWorker.answer());
  expect(box?.querySelector("[style]")).not.toBeNull();
  expect(box?.textContent).toBe(code);
  expect(box?.querySelector("div, p, br, .block")).toBeNull();
});
