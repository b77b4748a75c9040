import type { InvitationId, OpenInvitation } from "@gadget/api";
import { type Connection, Schema } from "mongoose";

/** A place for one more member. The code of its link is stored only as a hash. */
export interface StoredInvitation {
  _id: InvitationId;
  codeHash: string;
  email: string;
  expiresAt: Date;
  /** Invitations of older versions say neither. */
  createdAt?: Date;
  invitedBy?: string;
}

const schema = new Schema<StoredInvitation>(
  {
    _id: { type: String, required: true },
    codeHash: { type: String, required: true },
    email: { type: String, required: true },
    expiresAt: { type: Date, required: true },
    createdAt: Date,
    invitedBy: String,
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

export function invitationToWire(invitation: StoredInvitation): OpenInvitation {
  const { _id, email, expiresAt, invitedBy } = invitation;
  return { id: _id, email, expiresAt: expiresAt.toISOString(), invitedBy };
}
