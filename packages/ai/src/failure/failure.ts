export const aiFailureKinds = [
  "aborted",
  "unauthenticated",
  "not_found",
  "rate_limited",
  "context_too_long",
  "no_images",
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
  /** How many tokens the model can read, where a refusal names it. */
  contextLength?: number;
}

const byKind: Record<AiFailureKind, { retryable: boolean; message: string }> = {
  aborted: {
    retryable: false,
    message: "The request was aborted. Send a new message to go on.",
  },
  unauthenticated: {
    retryable: false,
    message: "The provider refused the API key. Check the key.",
  },
  not_found: {
    retryable: false,
    message: "The provider does not know this model or address. Check both.",
  },
  rate_limited: {
    retryable: true,
    message: "The provider limits how often it may be asked. Wait a little, then send again.",
  },
  context_too_long: {
    retryable: false,
    message:
      "The conversation is longer than the model can read. Compact it, start a new session, or choose a model with a longer context.",
  },
  no_images: {
    retryable: false,
    message: "The model can't see images. Leave them out or choose a model that can.",
  },
  overloaded: {
    retryable: true,
    message: "The provider is overloaded or failed on its side. Try again in a moment.",
  },
  refused: {
    retryable: false,
    message:
      "The provider's filter refused to answer. Rephrase the request or choose another model.",
  },
  network: {
    retryable: true,
    message:
      "The connection to the provider failed. Check the network and the base URL, then retry.",
  },
  protocol: {
    retryable: false,
    message:
      "The provider answered with something that is not its API. Check the base URL and the kind of provider.",
  },
};

export function makeFailure(
  kind: AiFailureKind,
  particulars: Partial<Omit<AiFailure, "kind">> = {},
): AiFailure {
  return { kind, ...byKind[kind], ...particulars };
}
