import { exitCodes } from "../exit-code.ts";
import { Problem } from "../problem.ts";
import type { Terminal } from "./terminal.ts";

/** The prompt from the command line, or from stdin where it is `-`. */
export async function readPrompt(words: readonly string[], terminal: Terminal): Promise<string> {
  const fromStdin = words.length === 1 && words[0] === "-";
  const prompt = fromStdin ? await readAll(terminal) : words.join(" ");
  if (prompt.trim() === "") {
    throw new Problem("The prompt is empty.", exitCodes.usage);
  }
  return prompt;
}

async function readAll({ stdin, interrupts: { signal } }: Terminal): Promise<string> {
  const chunks: Buffer[] = [];
  const onLeave = () => stdin.destroy();
  signal.addEventListener("abort", onLeave, { once: true });
  try {
    for await (const chunk of stdin) {
      chunks.push(Buffer.from(chunk));
    }
  } finally {
    signal.removeEventListener("abort", onLeave);
  }
  signal.throwIfAborted();
  return Buffer.concat(chunks).toString("utf8");
}
