import type { TerminalOutput } from "../ask/terminal.ts";

const codes = {
  green: "32",
  red: "31",
  blue: "34",
  yellow: "33",
  orange: "38;5;208",
  grey: "90",
  dim: "2",
  bold: "1",
} as const;

export type Colour = keyof typeof codes;

/** Puts a colour on a text, or leaves the text as it is. */
export type Style = (colour: Colour, text: string) => string;

export const plain: Style = (_, text) => text;

const coloured: Style = (colour, text) =>
  text === "" ? "" : `\u001B[${codes[colour]}m${text}\u001B[0m`;

/** NO_COLOR (no-color.org) wins; FORCE_COLOR is for pipes that lead to a terminal. */
export function styleFor(
  output: TerminalOutput,
  env: Readonly<Record<string, string | undefined>>,
): Style {
  if (env["NO_COLOR"]) {
    return plain;
  }
  const forced = env["FORCE_COLOR"];
  if (forced && forced !== "0") {
    return coloured;
  }
  return output.isTTY === true && env["TERM"] !== "dumb" ? coloured : plain;
}
