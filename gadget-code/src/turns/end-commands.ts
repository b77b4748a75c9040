import type { StoredSession } from "../models/chat-session.ts";
import type { TurnContext } from "./turn-context.ts";

const droneMs = 15_000;

/**
 * Ends the background commands of a session that leaves its drone: nobody could list or stop them
 * there any more. A drone that is away keeps them until it ends itself.
 */
export async function endCommands(
  { line, log }: TurnContext,
  { _id: sessionId, droneId }: Pick<StoredSession, "_id" | "droneId">,
): Promise<void> {
  if (droneId === null) return;
  await line
    .order(droneId, "stopBackground", [{ sessionId }], droneMs)
    .catch((error: unknown) =>
      log.info({ err: error, sessionId, droneId }, "background commands were not ended"),
    );
}
