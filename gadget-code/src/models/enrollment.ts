import type { UserId } from "@gadget/api";
import { type Connection, Schema } from "mongoose";

/** A one-time code with which a drone gets its own credential; stored as a hash. */
export interface StoredEnrollment {
  _id: string;
  owner: UserId;
  local: boolean;
  expiresAt: Date;
}

const schema = new Schema<StoredEnrollment>(
  {
    _id: { type: String, required: true },
    owner: { type: String, required: true },
    local: { type: Boolean, required: true },
    expiresAt: { type: Date, required: true },
  },
  { versionKey: false },
);
// Codes that nobody used go away by themselves.
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export function enrollmentModel(connection: Connection) {
  return connection.model<StoredEnrollment>("enrollment", schema, "enrollments");
}
