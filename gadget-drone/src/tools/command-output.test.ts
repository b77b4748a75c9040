import { expect, it } from "vitest";
import { CommandOutput } from "./command-output.ts";

function outputOf(...chunks: string[]): string {
  const output = new CommandOutput();
  for (const chunk of chunks) {
    output.add(chunk);
  }
  return output.text;
}

it("keeps what fits, in its order", () => {
  const chunks = [`a${"🙂".repeat(100_000)}`, "b", "c".repeat(100_000)];
  expect(outputOf(...chunks) === chunks.join("")).toBe(true);
});

it("leaves out the middle, but never half of a character", () => {
  for (const start of ["", "a"]) {
    const chunk = "🙂".repeat(30_000);
    const text = outputOf(start, ...Array.from({ length: 20 }, () => chunk), "end");
    expect(/\p{Surrogate}/u.test(text)).toBe(false);
    expect(/🙂\n\[\.\.\. 0 lines, \d+ characters left out \.\.\.\]\n🙂/u.test(text)).toBe(true);
    expect(text.endsWith("🙂end")).toBe(true);
  }
});
