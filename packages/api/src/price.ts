import * as z from "zod/mini";

const amount = z.number().check(z.nonnegative(), z.maximum(1_000_000));

/** What a million tokens cost, in US dollars, as a person entered it. */
export const Price = z.object({
  input: amount,
  output: amount,
  /** None: cached input costs what other input does. */
  cachedInput: z.optional(amount),
});
export type Price = z.infer<typeof Price>;

/** Without a model it is the price of all models that have none of their own. */
export const ModelPrice = z.extend(Price, {
  model: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

/** The same in a request: unknown keys are refused. */
export const EnteredPrice = z.strictObject(ModelPrice.shape);
export type EnteredPrice = z.infer<typeof EnteredPrice>;

export function priceOf(
  prices: readonly ModelPrice[] | undefined,
  model: string,
): Price | undefined {
  const found =
    prices?.find((price) => price.model === model) ??
    prices?.find((price) => price.model === undefined);
  if (found === undefined) {
    return undefined;
  }
  const { input, output, cachedInput } = found;
  return { input, output, ...(cachedInput !== undefined && { cachedInput }) };
}
