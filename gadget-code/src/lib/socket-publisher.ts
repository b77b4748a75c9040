import type {
  QueuedMessage,
  ServerToClientEvents,
  SessionId,
  TurnEvent,
  TurnId,
} from "@gadget/api";
import { type StoredSession, sessionToWire } from "../models/chat-session.ts";
import { type StoredTurn, turnToWire } from "../models/chat-turn.ts";
import type { Publisher } from "../turns/state/publisher.ts";
import type { TurnFeed } from "../turns/state/turn-feed.ts";
import type { IdeNamespace } from "./namespaces.ts";
import type { NodeBus } from "./node-bus.ts";
import { sessionRoom, userRoom } from "./rooms.ts";

type Notices = ServerToClientEvents<"ide">;
/** Tells the pages in a room, on every node. */
export type Tell = <Name extends keyof Notices>(
  room: string,
  name: Name,
  ...args: Parameters<Notices[Name]>
) => void;

/** This node's own pages first and without the broker; the others get the same over the bus. */
export function tellEverywhere(ide: IdeNamespace, bus: NodeBus | undefined): Tell {
  return (room, name, ...args) => {
    ide.local.to(room).emit(name, ...args);
    bus?.notice(room, name, args);
  };
}

/** Publishing over the page's sockets and to the event streams. */
export function socketPublisher(tell: Tell, feed: TurnFeed): Publisher {
  return {
    turnEvents({ turnId, sessionId }: { turnId: TurnId; sessionId: SessionId }, events) {
      if (events.length === 0) {
        return;
      }
      const copy: TurnEvent[] = [...events];
      tell(sessionRoom(sessionId), "turnEvents", { turnId, events: copy });
      feed.publish(turnId, events);
    },
    turnChanged(turn: StoredTurn) {
      tell(userRoom(turn.owner), "turnChanged", { turn: turnToWire(turn) });
    },
    turnSettled(turn: StoredTurn) {
      const room = sessionRoom(turn.sessionId);
      const { _id, status, errorMessage = status } = turn;
      if (status === "finished") {
        tell(room, "workOrderComplete", _id, true);
      } else if (status === "aborted") {
        tell(room, "workOrderComplete", _id, true, "aborted");
      } else {
        tell(room, "workOrderComplete", _id, false, errorMessage);
      }
    },
    sessionChanged(session: StoredSession) {
      tell(userRoom(session.owner), "sessionChanged", { session: sessionToWire(session) });
    },
    queueChanged(sessionId: SessionId, queue: QueuedMessage[]) {
      tell(sessionRoom(sessionId), "queueChanged", { sessionId, queue });
    },
  };
}
