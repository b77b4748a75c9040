import * as z from "zod/mini";
import { ProviderId } from "./id.ts";
import { ModelPrice } from "./price.ts";
import { Instant } from "./time.ts";

export const ProviderKind = z.enum(["openai", "ollama", "demo"]);
export type ProviderKind = z.infer<typeof ProviderKind>;

/** The key is write-only: only whether there is one can be read. */
export const Provider = z.object({
  id: ProviderId,
  name: z.string(),
  kind: ProviderKind,
  baseUrl: z.optional(z.string()),
  hasKey: z.boolean(),
  defaultModel: z.optional(z.string()),
  prices: z.optional(z.array(ModelPrice)),
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
});
export type ProviderAccess = z.infer<typeof ProviderAccess>;

export const Model = z.object({
  id: z.string(),
  name: z.optional(z.string()),
  contextWindow: z.optional(z.int()),
  tools: z.optional(z.boolean()),
});
export type Model = z.infer<typeof Model>;

export const ProviderTest = z.object({ ok: z.boolean(), message: z.string() });
export type ProviderTest = z.infer<typeof ProviderTest>;
