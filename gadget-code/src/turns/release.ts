import type { StoredTurn } from "../models/chat-turn.ts";
import { move } from "./settle.ts";
import { rememberTurn } from "./state/remember-turn.ts";
import type { TurnContext } from "./state/turn-context.ts";

/**
 * The drone never accepted: back to the queue, or, with an abort asked for, to its end. The next
 * claim raises the epoch, so that an order which arrives after all is fenced off and killed.
 */
export async function release(
  context: TurnContext,
  { _id: turnId, epoch }: Pick<StoredTurn, "_id" | "epoch">,
): Promise<void> {
  const held = context.live.get(turnId);
  if (held?.epoch === epoch) {
    // Until it is written only this node knows so: where that fails, the next heartbeat tries again.
    held.order = "doubted";
  }
  await context.live.abortOf(turnId)?.stored;
  const back = { set: { waitingFor: "drone" as const }, unset: ["lease", "startedAt"] as const };
  const turn = await move(context, turnId, { signal: "release", epoch }, back);
  if (held?.epoch === epoch) {
    held.letGo();
  }
  if (turn?.status === "queued") {
    await rememberTurn(context, turn);
  }
}
