import { exitCodes } from "../exit-code.ts";
import { Problem } from "../problem.ts";

/** The arguments `[turn] <text>`: the turn may be left out, the text may not. */
export function turnAndText(args: readonly string[]): { id: string | undefined; text: string } {
  const [first = "", second] = args;
  const text = (second ?? first).trim();
  if (text === "") {
    throw new Problem("The text is empty.", exitCodes.usage);
  }
  return { id: second === undefined ? undefined : first, text };
}
