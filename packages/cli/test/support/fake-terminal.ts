import { PassThrough } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { Interrupts } from "../../src/ask/interrupts.ts";
import type { Terminal } from "../../src/ask/terminal.ts";
import { runCli } from "../../src/run-cli.ts";

interface Fake {
  /** All that was written, to stdout and stderr in order. */
  screen: () => string;
  type: (text: string) => void;
  pressCtrlC: () => void;
  /** Whether something still takes what is typed. */
  isReading: () => boolean;
  until: (pattern: RegExp) => Promise<void>;
  exitCode: Promise<number>;
}

/** A call of `gadget` on a terminal with a person in front of it. */
export function onTerminal(
  args: string[],
  { env, folder }: { env: Record<string, string>; folder: string },
): Fake {
  let screen = "";
  const tty = () => Object.assign(new PassThrough(), { isTTY: true, columns: 100 });
  const [stdin, stdout, stderr] = [tty(), tty(), tty()];
  for (const output of [stdout, stderr]) {
    output.on("data", (chunk: Buffer) => {
      screen += chunk.toString("utf8");
    });
  }
  const interrupts = new Interrupts();
  const terminal: Terminal = { stdin, stdout, stderr, env, folder, interrupts };
  let ended = false;
  const exitCode = runCli(args, terminal).finally(() => {
    ended = true;
  });
  return {
    screen: () => screen,
    type: (text) => void stdin.write(text),
    pressCtrlC: () => interrupts.press(),
    isReading: () => stdin.readableFlowing === true,
    until: async (pattern) => {
      const deadline = performance.now() + 20_000;
      while (!pattern.test(screen)) {
        if (ended || performance.now() > deadline) {
          throw new Error(`${pattern} did not come:\n${screen}`);
        }
        await delay(10);
      }
    },
    exitCode,
  };
}
