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

/** How many tokens one model may be given to read, as a person has set it. */
export const ModelContext = z.object({
  model: z.string().check(z.minLength(1), z.maxLength(200)),
  contextWindow: z.int(),
});
export type ModelContext = z.infer<typeof ModelContext>;

const windowSize = "A context size is a whole number of tokens from 2,048 to 10,000,000.";
/** In a request: fewer hold no instructions and tools. */
export const ContextWindow = z
  .int(windowSize)
  .check(z.minimum(2_048, windowSize), z.maximum(10_000_000, windowSize));
export type ContextWindow = z.infer<typeof ContextWindow>;

/** The same in a request: unknown keys are refused. */
export const EnteredContext = z.strictObject({
  ...ModelContext.shape,
  contextWindow: ContextWindow,
});
export type EnteredContext = z.infer<typeof EnteredContext>;

/** What was set for a model, or for all that nothing is set for. */
export function contextWindowOf(
  set: { contextWindow?: number | undefined; contextWindows?: ModelContext[] | undefined },
  model: string,
): number | undefined {
  const own = set.contextWindows?.find((context) => context.model === model);
  return own?.contextWindow ?? set.contextWindow;
}

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
  /** What is set for single models goes before it. */
  contextWindows: z.optional(z.array(ModelContext)),
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
  /** In a work order that of its model. */
  contextWindow: z.optional(z.int()),
  /** Where all models are asked for. */
  contextWindows: z.optional(z.array(ModelContext)),
  reasoningEffort: z.optional(ReasoningEffort),
});
export type ProviderAccess = z.infer<typeof ProviderAccess>;

export const Model = z.object({
  id: z.string(),
  name: z.optional(z.string()),
  /** What a turn plans with: as a person has set it, else as the server says. */
  contextWindow: z.optional(z.int()),
  tools: z.optional(z.boolean()),
});
export type Model = z.infer<typeof Model>;
