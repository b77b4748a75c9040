import type { InvitationId } from "@gadget/api";
import { type Connection, Schema } from "mongoose";

/** A place for one more member. The code of its link is stored only as a hash. */
export interface StoredInvitation {
  _id: InvitationId;
  codeHash: string;
  email: string;
  expiresAt: Date;
}

const schema = new Schema<StoredInvitation>(
  {
    _id: { type: String, required: true },
    codeHash: { type: String, required: true },
    email: { type: String, required: true },
    expiresAt: { type: Date, required: true },
  },
  { versionKey: false },
);
// The link is found by its code, and used once.
schema.index({ codeHash: 1 }, { unique: true });
// One invitation an address: a new one replaces the old link.
schema.index({ email: 1 }, { unique: true });
// Invitations that nobody used go away by themselves.
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export function invitationModel(connection: Connection) {
  return connection.model<StoredInvitation>("invitation", schema, "invitations");
}
