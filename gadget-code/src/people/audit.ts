import { AuditEntryId, newId, type UserId } from "@gadget/api";
import type { Logger } from "pino";
import type { StoredAuditEntry } from "../models/audit-entry.ts";
import type { Models } from "../models/models.ts";

export type AuditAction =
  | "set up"
  | "signed in"
  | "sign-in failed"
  | "signed out"
  | "password changed"
  | "token made"
  | "token revoked"
  | "member invited"
  | "invitation revoked"
  | "member joined"
  | "member changed"
  | "member removed"
  | "drone invited"
  | "drone enrolled"
  | "enrolment failed"
  | "drone shared"
  | "drone unshared"
  | "drone used twice"
  | "drone revoked"
  | "command stopped"
  | "turn aborted"
  | "turn stopped by force"
  | "approval answered";

/** What is written down. */
export interface Audited {
  action: AuditAction;
  /** Null: nobody who is known. */
  by: { id: UserId; name: string } | null;
  address?: string | undefined;
  subject?: string | undefined;
  detail?: string | undefined;
}

interface AuditContext {
  models: Pick<Models, "audit">;
  log: Pick<Logger, "error">;
  now: () => Date;
}

/** Writes down what somebody did without making them wait (A14); never throws. */
export function audit(
  { models, log, now }: AuditContext,
  { action, by, address, subject, detail }: Audited,
): void {
  const entry: StoredAuditEntry = {
    _id: newId(AuditEntryId),
    createdAt: now(),
    action,
    userId: by?.id ?? null,
    ...(by !== null && { name: by.name }),
    ...(address !== undefined && { address }),
    ...(subject !== undefined && { subject }),
    ...(detail !== undefined && { detail }),
  };
  models.audit.create([entry]).catch((error: unknown) => {
    log.error({ err: error, action }, "the audit log could not be written");
  });
}
