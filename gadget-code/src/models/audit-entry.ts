import type { AuditEntry, AuditEntryId, UserId } from "@gadget/api";
import { type Connection, Schema } from "mongoose";

/** Who did what, when, and from where. Written once, never changed. */
export interface StoredAuditEntry {
  _id: AuditEntryId;
  createdAt: Date;
  action: string;
  userId: UserId | null;
  name?: string;
  address?: string;
  /** The id of what it was done to. */
  subject?: string;
  detail?: string;
}

const keptSeconds = 400 * 86_400;

const schema = new Schema<StoredAuditEntry>(
  {
    _id: { type: String, required: true },
    createdAt: { type: Date, required: true },
    action: { type: String, required: true },
    userId: { type: String, default: null },
    name: String,
    address: String,
    subject: String,
    detail: String,
  },
  { versionKey: false },
);
// Newest first.
schema.index({ createdAt: -1, _id: -1 });
// Nothing is kept for ever.
schema.index({ createdAt: 1 }, { expireAfterSeconds: keptSeconds });

export function auditModel(connection: Connection) {
  return connection.model<StoredAuditEntry>("auditEntry", schema, "audit");
}

export function auditToWire(entry: StoredAuditEntry): AuditEntry {
  const { createdAt, action, userId, name, address, subject, detail } = entry;
  return { at: createdAt.toISOString(), action, userId, name, address, subject, detail };
}
