import { setTimeout as delay } from "node:timers/promises";
import type { ChatTurn, TurnId } from "@gadget/api";
import type { CommandContext } from "../command-context.ts";

const firstLookMs = 400;
const nextLookMs = 2_000;

/** Why a turn does not run, or does not go on by itself. */
export const waitWords: Record<NonNullable<ChatTurn["waitingFor"]>, string> = {
  question: "waits for an answer",
  approval: "waits for an approval",
  drone: "waits for its drone, which is not connected",
  workspace: "waits for another turn in the same workspace",
  finishing: "finishing up",
};

/** Events tell what a turn does; what a queued one waits for has to be asked. */
export async function explainWait(
  { client, signal }: CommandContext,
  turnId: TurnId,
  isQueued: () => boolean,
  say: (words: string) => void,
): Promise<void> {
  let told: string | undefined;
  for (let pause = firstLookMs; ; pause = nextLookMs) {
    try {
      await delay(pause, undefined, { signal, ref: false });
      if (!isQueued()) {
        return;
      }
      const { turn } = await client.request("getTurn", { params: { id: turnId }, signal });
      if (turn.waitingFor === undefined || turn.waitingFor === told || !isQueued()) {
        continue;
      }
      told = turn.waitingFor;
      say(waitWords[turn.waitingFor]);
    } catch {
      if (signal.aborted) {
        return;
      }
    }
  }
}
