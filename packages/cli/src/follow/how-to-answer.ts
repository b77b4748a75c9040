import type { ChatTurn } from "@gadget/api";
import { plainText } from "../print/plain-text.ts";
import { shownId } from "../print/turn-line.ts";
import type { OpenPart } from "./open-parts.ts";

/** An open question or approval, and the command that answers it. */
export function howToAnswer({ id }: ChatTurn, part: OpenPart): string[] {
  const turn = id.slice(0, shownId);
  if (part.kind === "question") {
    const options = (part.options ?? []).map(({ label }, at) => `  ${at + 1}. ${plainText(label)}`);
    return [`? ${plainText(part.question)}`, ...options, `  gadget answer ${turn} "..."`];
  }
  const what = part.command === undefined ? part.name : `${part.name}: ${plainText(part.command)}`;
  return [`? May it run ${what}`, `  gadget approve ${turn} [--for-session | --deny]`];
}
