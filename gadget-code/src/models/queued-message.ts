import type { MessageId, MessageMode, QueuedMessage, SessionId, TurnId, UserId } from "@gadget/api";
import { type Connection, Schema } from "mongoose";

/** A message that waits: for the running turn's next step, or for the next turn. */
export interface StoredMessage {
  _id: MessageId;
  owner: UserId;
  sessionId: SessionId;
  turnId: TurnId;
  mode: MessageMode;
  text: string;
  createdAt: Date;
  /** A person let it go on, after it had been paused. */
  resumedAt?: Date;
  /** Where it comes among the others, once they were put in another order. */
  order?: number;
  /** Which of the session's few places it takes. */
  place: number;
}

const schema = new Schema<StoredMessage>(
  {
    _id: { type: String, required: true },
    owner: { type: String, required: true },
    sessionId: { type: String, required: true },
    turnId: { type: String, required: true },
    mode: { type: String, required: true },
    text: { type: String, required: true },
    createdAt: { type: Date, required: true },
    resumedAt: Date,
    order: Number,
    place: Number,
  },
  { versionKey: false },
);
// A session's queue, the oldest first.
schema.index({ sessionId: 1, createdAt: 1, _id: 1 });
// The limit of messages that wait: each has a place of its own, whoever else sends one meanwhile.
schema.index(
  { sessionId: 1, place: 1 },
  {
    unique: true,
    partialFilterExpression: { place: { $exists: true } },
    name: "one_message_a_place",
  },
);

export function messageModel(connection: Connection) {
  return connection.model<StoredMessage>("message", schema, "queuedMessages");
}

export function messageToWire(
  message: StoredMessage,
  paused?: QueuedMessage["paused"],
): QueuedMessage {
  const { _id, sessionId, turnId, mode, text, createdAt } = message;
  const wire = { id: _id, sessionId, turnId, mode, text, createdAt: createdAt.toISOString() };
  return paused === undefined ? wire : { ...wire, paused };
}
