import * as z from "zod/mini";

/** Ids are random strings. They carry no time and no order; a client may make a turn's id itself. */
const id = z.string().check(z.regex(/^[A-Za-z0-9_-]{8,64}$/));

export const UserId = id.brand<"UserId">();
export const TokenId = id.brand<"TokenId">();
export const ProviderId = id.brand<"ProviderId">();
export const DroneId = id.brand<"DroneId">();
export const ProjectId = id.brand<"ProjectId">();
export const SessionId = id.brand<"SessionId">();
export const TurnId = id.brand<"TurnId">();
export const MessageId = id.brand<"MessageId">();
export const QuestionId = id.brand<"QuestionId">();
export const ApprovalId = id.brand<"ApprovalId">();
export const InstanceId = id.brand<"InstanceId">();
export const InvitationId = id.brand<"InvitationId">();
export const CommandId = id.brand<"CommandId">();
export const AuditEntryId = id.brand<"AuditEntryId">();

export type UserId = z.infer<typeof UserId>;
export type TokenId = z.infer<typeof TokenId>;
export type ProviderId = z.infer<typeof ProviderId>;
export type DroneId = z.infer<typeof DroneId>;
export type ProjectId = z.infer<typeof ProjectId>;
export type SessionId = z.infer<typeof SessionId>;
export type TurnId = z.infer<typeof TurnId>;
export type MessageId = z.infer<typeof MessageId>;
export type QuestionId = z.infer<typeof QuestionId>;
export type ApprovalId = z.infer<typeof ApprovalId>;
export type InstanceId = z.infer<typeof InstanceId>;
export type InvitationId = z.infer<typeof InvitationId>;
export type CommandId = z.infer<typeof CommandId>;
export type AuditEntryId = z.infer<typeof AuditEntryId>;

/** A tool call's id is the model's own, so its form is the provider's. */
export const CallId = z.string().check(z.minLength(1), z.maxLength(200)).brand<"CallId">();
export type CallId = z.infer<typeof CallId>;

interface IdSchema<Id extends string> {
  parse(value: string): Id;
}

// Declared here because this package sees neither Node nor the DOM; both have it.
declare const crypto: { getRandomValues(bytes: Uint8Array): Uint8Array };

const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz";

/** 22 characters of base 36: 113 random bits. */
export function newId<Id extends string>(schema: IdSchema<Id>): Id {
  let text = "";
  while (text.length < 22) {
    for (const byte of crypto.getRandomValues(new Uint8Array(32))) {
      // 252 is the largest multiple of 36 in a byte: above it the remainder would be biased.
      if (byte < 252 && text.length < 22) {
        text += alphabet[byte % 36];
      }
    }
  }
  return schema.parse(text);
}
