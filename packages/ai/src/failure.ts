export const aiFailureKinds = [
  "aborted",
  "unauthenticated",
  "not_found",
  "rate_limited",
  "context_too_long",
  "overloaded",
  "refused",
  "network",
  "protocol",
] as const;

export type AiFailureKind = (typeof aiFailureKinds)[number];

/** An expected way for a model call not to succeed: a value, never thrown. */
export interface AiFailure {
  kind: AiFailureKind;
  /** Whether the same request may succeed later. Always false for an abort. */
  retryable: boolean;
  /** A sentence for a person: what happened and what to do next. */
  message: string;
  /** What the server said, shortened, without secrets. */
  detail?: string;
  status?: number;
  /** How long the server asked us to wait. */
  retryAfterMs?: number;
}
