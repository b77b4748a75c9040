import type { QueuedMessage, SessionId, TurnEvent, TurnId } from "@gadget/api";
import type { StoredSession } from "../../models/chat-session.ts";
import type { StoredTurn } from "../../models/chat-turn.ts";

/** How what happens reaches browsers and streams. Nothing here knows of sockets. */
export interface Publisher {
  turnEvents(turn: { turnId: TurnId; sessionId: SessionId }, events: readonly TurnEvent[]): void;
  turnChanged(turn: StoredTurn): void;
  /** The turn has settled; `message` is "aborted" for an abort, as on the drone's wire. */
  turnSettled(turn: StoredTurn): void;
  sessionChanged(session: StoredSession): void;
  queueChanged(sessionId: SessionId, queue: QueuedMessage[]): void;
}
