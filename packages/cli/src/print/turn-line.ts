import type { ChatTurn } from "@gadget/api";
import { ago } from "./ago.ts";
import { cut, firstLine } from "./cut.ts";
import { turnMark } from "./mark.ts";
import { plainText } from "./plain-text.ts";
import type { Style } from "./style.ts";

/** As much of an id as is shown in lists: enough to name it. */
export const shownId = 10;

/** A turn in one line of a list. */
export function turnLine(turn: ChatTurn, style: Style, now: number): string {
  const { id, status, waitingFor, createdAt, prompt, continues } = turn;
  const word = waitingFor === undefined ? status : `${status}, ${waitingFor}`;
  const unsaid = turn.kind === "compact" ? "(compacts)" : continues && "(continues)";
  const said = firstLine(plainText(prompt)) || (unsaid ?? "");
  const columns = [
    id.slice(0, shownId),
    word.padEnd(12),
    ago(createdAt, now).padEnd(10),
    cut(said, 70),
  ];
  return `${turnMark(status, style)} ${columns.join("  ")}`.trimEnd();
}
