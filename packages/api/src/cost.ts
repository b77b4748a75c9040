import * as z from "zod/mini";
import type { Usage } from "./chat-turn.ts";
import type { Price } from "./price.ts";

export const Cost = z.object({
  /** In US dollars. */
  amount: z.number(),
  /** Some of its tokens were counted by us: shown with ≈. */
  estimated: z.optional(z.boolean()),
});
export type Cost = z.infer<typeof Cost>;

const million = 1_000_000;

/** Cached tokens are among the input's. */
export function costOf(usage: Usage, price: Price): Cost {
  const { inputTokens, outputTokens, cachedInputTokens = 0, estimated } = usage;
  const cached = Math.min(cachedInputTokens, inputTokens);
  const input = (inputTokens - cached) * price.input + cached * (price.cachedInput ?? price.input);
  return {
    amount: (input + outputTokens * price.output) / million,
    ...(estimated === true && { estimated }),
  };
}
