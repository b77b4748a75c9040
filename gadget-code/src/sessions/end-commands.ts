import type { StoredSession } from "../models/chat-session.ts";
import type { TurnContext } from "../turns/state/turn-context.ts";

const droneMs = 15_000;

/**
 * Ends the background commands of a session that leaves its drone, and what is kept of its output:
 * nobody could list, stop or read them there any more. A drone that is away keeps them until it ends itself.
 */
export async function endCommands(
  { line, log }: TurnContext,
  { _id: sessionId, droneId }: Pick<StoredSession, "_id" | "droneId">,
): Promise<void> {
  if (droneId === null) {
    return;
  }
  await line
    .order(droneId, "stopBackground", [{ sessionId, leaves: true }], droneMs)
    .catch((error: unknown) =>
      log.info({ err: error, sessionId, droneId }, "background commands were not ended"),
    );
}
