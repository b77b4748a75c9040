import type { CommandContext } from "../command-context.ts";
import { LineWriter } from "./line-writer.ts";
import { noSpinner, type Spinner, startSpinner } from "./spinner.ts";
import { styleFor } from "./style.ts";

/** Where a turn is shown: its text on stdout, and on a terminal a spinner under it. */
export interface Screen {
  lines: LineWriter;
  spinner: Spinner;
  /** A line for the person, on stderr. */
  note: (line: string) => void;
}

export function openScreen({ terminal, json }: CommandContext): Screen {
  const { stdout, stderr, env } = terminal;
  const turns = stderr.isTTY === true && !json && env["TERM"] !== "dumb";
  const spinner = turns ? startSpinner(stderr, styleFor(stderr, env), () => lines) : noSpinner;
  const sharesLine = stdout.isTTY === true && stderr.isTTY === true;
  const lines = new LineWriter(spinner.around((text) => void stdout.write(text)));
  const writeNote = spinner.around((text) => void stderr.write(text));
  return {
    lines,
    spinner,
    note: (line) => {
      if (sharesLine) {
        lines.endLine();
      }
      writeNote(`${line}\n`);
    },
  };
}
