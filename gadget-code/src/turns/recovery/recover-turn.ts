import type { StoredTurn } from "../../models/chat-turn.ts";
import type { TurnContext } from "../state/turn-context.ts";

/** What recovery does for one turn. One that can't be recovered stops no other, whoever owns it. */
export async function recoverTurn(
  { log }: TurnContext,
  { _id: turnId }: StoredTurn,
  recover: () => Promise<void>,
): Promise<unknown> {
  try {
    await recover();
    return undefined;
  } catch (error) {
    log.error({ err: error, turnId }, "a turn could not be recovered; the others are");
    return error;
  }
}
