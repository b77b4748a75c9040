import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { Terminal } from "./terminal.ts";

export interface Asked {
  /** What was typed; undefined where the input ended or the question was closed. */
  answer: Promise<string | undefined>;
  close(): void;
}

/** Asks for one line on the terminal. Ctrl-C is passed on; it closes nothing by itself. */
export function ask(terminal: Terminal, prompt: string, { hidden = false } = {}): Asked {
  const { stdin, stderr, interrupts } = terminal;
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({
    input: stdin,
    output: hidden ? silent : stderr,
    terminal: true,
    historySize: 0,
    prompt: hidden ? "" : prompt,
  });
  if (hidden) {
    stderr.write(prompt);
  }
  lines.prompt();
  lines.on("SIGINT", () => interrupts.press());
  const answer = new Promise<string | undefined>((resolve) => {
    lines.once("line", resolve);
    lines.once("close", () => resolve(undefined));
  });
  const onLeave = () => lines.close();
  interrupts.signal.addEventListener("abort", onLeave, { once: true });
  return {
    answer: answer.finally(() => {
      interrupts.signal.removeEventListener("abort", onLeave);
      lines.close();
      if (hidden) {
        stderr.write("\n");
      }
    }),
    close: () => lines.close(),
  };
}
