import * as z from "zod/mini";
import { InvitationId, TokenId, UserId } from "./id.ts";
import { Instant } from "./instant.ts";

export const Role = z.enum(["owner", "member"]);
export type Role = z.infer<typeof Role>;

export const Member = z.object({
  id: UserId,
  email: z.string(),
  name: z.string(),
  role: Role,
  createdAt: Instant,
});
export type Member = z.infer<typeof Member>;

export const Invitation = z.object({
  id: InvitationId,
  email: z.string(),
  url: z.string(),
  expiresAt: Instant,
});
export type Invitation = z.infer<typeof Invitation>;

/** An invitation that nobody has used yet, without its code. */
export const OpenInvitation = z.object({
  id: InvitationId,
  email: z.string(),
  expiresAt: Instant,
  /** The name of who made it. */
  invitedBy: z.optional(z.string()),
});
export type OpenInvitation = z.infer<typeof OpenInvitation>;

export const ApiToken = z.object({
  id: TokenId,
  name: z.string(),
  createdAt: Instant,
  lastUsedAt: z.nullable(Instant),
});
export type ApiToken = z.infer<typeof ApiToken>;

export const AuditEntry = z.object({
  at: Instant,
  action: z.string(),
  userId: z.nullable(UserId),
  name: z.optional(z.string()),
  address: z.optional(z.string()),
  subject: z.optional(z.string()),
  detail: z.optional(z.string()),
});
export type AuditEntry = z.infer<typeof AuditEntry>;
