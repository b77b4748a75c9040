import type { UserId } from "@gadget/api";
import { type Connection, Schema } from "mongoose";

/** A browser that is signed in. The cookie's secret is stored only as a hash. */
export interface StoredLogin {
  _id: string;
  userId: UserId;
  createdAt: Date;
  expiresAt: Date;
}

const schema = new Schema<StoredLogin>(
  {
    _id: { type: String, required: true },
    userId: { type: String, required: true },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
  },
  { versionKey: false },
);
// A removed member is signed out everywhere.
schema.index({ userId: 1 });
// Old sign-ins go away by themselves.
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export function loginModel(connection: Connection) {
  return connection.model<StoredLogin>("login", schema, "logins");
}
