import { unlessAborted } from "@gadget/agent";
import { shorten } from "@gadget/ai";
import { plainText } from "../plain-text.ts";
import type { KeptOutput } from "../process/kept-output.ts";
import type { DroneToolContext } from "./tool-context.ts";

/** For the words that a tool puts behind the output. */
const roomForEnd = 400;

/**
 * What a command printed, for the model. Where a part is left out, the whole is kept and its place
 * named. `isWhole`: nothing is left out of the text as it is given.
 */
export async function shownOutput(
  { text, isWhole }: { text: string; isWhole: boolean },
  kept: KeptOutput,
  { maxCharacters, turnSignal }: Pick<DroneToolContext, "maxCharacters" | "turnSignal">,
): Promise<string> {
  const plain = plainText(text).replace(/\n$/, "");
  const limit = maxCharacters - roomForEnd;
  if (isWhole && plain.length <= limit) {
    return plain;
  }
  // An abort waits for no disk.
  const place = await unlessAborted(kept.place(), turnSignal).catch(() => undefined);
  const cut = shorten(plain, limit);
  if (place === undefined) {
    return cut;
  }
  kept.isNamed = true;
  const lines = place.isWhole ? `all ${place.lines} lines` : `the first ${place.lines} lines`;
  return `${cut}\n[The middle is left out. read_file reads ${lines}: path "output:${place.id}" with startLine and endLine.]`;
}
