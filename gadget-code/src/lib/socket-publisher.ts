import type {
  ClientToServerEvents,
  QueuedMessage,
  ServerToClientEvents,
  SessionId,
  TurnEvent,
  TurnId,
} from "@gadget/api";
import type { Namespace } from "socket.io";
import type { TurnFeed } from "../http/turn-feed.ts";
import { type StoredSession, sessionToWire } from "../models/chat-session.ts";
import { type StoredTurn, turnToWire } from "../models/chat-turn.ts";
import type { Publisher } from "../turns/publisher.ts";
import { sessionRoom, userRoom } from "./rooms.ts";

export type IdeNamespace = Namespace<ClientToServerEvents<"ide">, ServerToClientEvents<"ide">>;

/** Publishing over the page's sockets and to the event streams. */
export function socketPublisher(ide: IdeNamespace, feed: TurnFeed): Publisher {
  return {
    turnEvents({ turnId, sessionId }: { turnId: TurnId; sessionId: SessionId }, events) {
      if (events.length === 0) return;
      const copy: TurnEvent[] = [...events];
      ide.to(sessionRoom(sessionId)).emit("turnEvents", { turnId, events: copy });
      feed.publish(turnId, events);
    },
    turnChanged(turn: StoredTurn) {
      ide.to(userRoom(turn.owner)).emit("turnChanged", { turn: turnToWire(turn) });
    },
    turnSettled(turn: StoredTurn) {
      const room = ide.to(sessionRoom(turn.sessionId));
      if (turn.status === "finished") room.emit("workOrderComplete", turn._id, true);
      else if (turn.status === "aborted") room.emit("workOrderComplete", turn._id, true, "aborted");
      else room.emit("workOrderComplete", turn._id, false, turn.errorMessage ?? turn.status);
    },
    sessionChanged(session: StoredSession) {
      ide.to(userRoom(session.owner)).emit("sessionChanged", { session: sessionToWire(session) });
    },
    queueChanged(sessionId: SessionId, queue: QueuedMessage[]) {
      ide.to(sessionRoom(sessionId)).emit("queueChanged", { sessionId, queue });
    },
  };
}
