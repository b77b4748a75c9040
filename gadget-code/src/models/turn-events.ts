import type { Size, TurnEvent, TurnId, UserId } from "@gadget/api";
import { type Connection, Schema } from "mongoose";

/**
 * A batch of numbered events. Together a turn's batches hold its numbers from 1 on without a
 * hole; what compaction removed is missing from `events`, and the covers are made when reading.
 */
export interface StoredBatch {
  _id: string;
  turnId: TurnId;
  owner: UserId;
  from: number;
  to: number;
  events: TurnEvent[];
  /** How much the log keeps, with this batch. */
  size?: Size;
}

const schema = new Schema<StoredBatch>(
  {
    _id: { type: String, required: true },
    turnId: { type: String, required: true },
    owner: { type: String, required: true },
    from: { type: Number, required: true },
    to: { type: Number, required: true },
    events: { type: Schema.Types.Mixed, required: true },
    size: Schema.Types.Mixed,
  },
  { versionKey: false, minimize: false },
);
// The log's order, and its fence: two writers can't both continue after the same number.
schema.index({ turnId: 1, from: 1 }, { unique: true });
// Search reads all that a person's turns said.
schema.index({ owner: 1 });

export function batchModel(connection: Connection) {
  return connection.model<StoredBatch>("turnEvents", schema, "turnEvents");
}
