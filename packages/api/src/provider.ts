import * as z from "zod/mini";
import { ProviderId } from "./id.ts";
import { Instant } from "./instant.ts";
import { ModelPrice } from "./price.ts";

export const ProviderKind = z.enum(["openai", "ollama", "demo"]);
export type ProviderKind = z.infer<typeof ProviderKind>;

/** How long its models think before they answer, where that can be chosen. */
export const ReasoningEffort = z.enum(["off", "low", "medium", "high"]);
export type ReasoningEffort = z.infer<typeof ReasoningEffort>;

export const ProviderTest = z.object({ ok: z.boolean(), message: z.string() });
export type ProviderTest = z.infer<typeof ProviderTest>;

/** The key is write-only: only whether there is one can be read. */
export const Provider = z.object({
  id: ProviderId,
  name: z.string(),
  kind: ProviderKind,
  baseUrl: z.optional(z.string()),
  hasKey: z.boolean(),
  defaultModel: z.optional(z.string()),
  prices: z.optional(z.array(ModelPrice)),
  /** What its latest test said. */
  lastTest: z.optional(ProviderTest),
  /** How many tokens its models may be given to read, as a person has set it. */
  contextWindow: z.optional(z.int()),
  reasoningEffort: z.optional(ReasoningEffort),
  shared: z.boolean(),
  mine: z.boolean(),
  createdAt: Instant,
});
export type Provider = z.infer<typeof Provider>;

/** How a drone reaches a provider. The only place where a key travels. */
export const ProviderAccess = z.object({
  kind: ProviderKind,
  baseUrl: z.optional(z.string()),
  apiKey: z.optional(z.string()),
  contextWindow: z.optional(z.int()),
  reasoningEffort: z.optional(ReasoningEffort),
});
export type ProviderAccess = z.infer<typeof ProviderAccess>;

export const Model = z.object({
  id: z.string(),
  name: z.optional(z.string()),
  contextWindow: z.optional(z.int()),
  tools: z.optional(z.boolean()),
});
export type Model = z.infer<typeof Model>;
