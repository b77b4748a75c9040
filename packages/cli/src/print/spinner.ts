import { duration } from "@gadget/api";
import type { TerminalOutput } from "../ask/terminal.ts";
import { cut } from "./cut.ts";
import type { LineWriter } from "./line-writer.ts";
import type { Style } from "./style.ts";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 100;

export interface Spinner {
  /** What is shown beside the time. */
  say(text: string): void;
  /** Wraps what writes to the same terminal: the spinner's line is taken away before. */
  around(write: (text: string) => void): (text: string) => void;
  pause(): void;
  resume(): void;
  stop(): void;
}

/** Where there is no terminal, nothing turns. */
export const noSpinner: Spinner = {
  say: () => {},
  around: (write) => write,
  pause: () => {},
  resume: () => {},
  stop: () => {},
};

/** One line under the text with the elapsed time; shown only where a line begins. */
export function startSpinner(
  output: TerminalOutput,
  style: Style,
  lines: () => LineWriter,
): Spinner {
  const startedAt = performance.now();
  let frame = 0;
  let text = "";
  let drawn = false;
  let paused = false;
  const clear = () => {
    if (drawn) {
      output.write("\r\u001B[K");
    }
    drawn = false;
  };
  const draw = () => {
    if (paused || !lines().atStart) {
      return;
    }
    frame += 1;
    const seconds = Math.floor((performance.now() - startedAt) / 1_000);
    const time = seconds < 60 ? `${seconds} s` : duration(seconds * 1_000);
    const room = (output.columns || 80) - 3;
    const line = cut([time, text].filter((part) => part !== "").join(" · "), room);
    output.write(`\r\u001B[K${style("blue", frames[frame % frames.length] ?? "")} ${line}`);
    drawn = true;
  };
  const timer = setInterval(draw, frameMs);
  timer.unref();
  return {
    say: (said) => {
      text = said;
    },
    around: (write) => (written) => {
      clear();
      write(written);
    },
    pause: () => {
      paused = true;
      clear();
    },
    resume: () => {
      paused = false;
    },
    stop: () => {
      clearInterval(timer);
      clear();
    },
  };
}
