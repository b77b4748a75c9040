import type { Cost } from "@gadget/api";

const small = new Intl.NumberFormat("en", {
  style: "currency",
  currency: "USD",
  maximumSignificantDigits: 2,
});
const usual = new Intl.NumberFormat("en", { style: "currency", currency: "USD" });

/** $1.20 · $0.0042 · ≈ $0.10 where tokens were estimated; undefined: it cost nothing. */
export function costWords({ amount, estimated }: Cost): string | undefined {
  if (amount <= 0) {
    return undefined;
  }
  return `${estimated ? "≈ " : ""}${(amount < 0.1 ? small : usual).format(amount)}`;
}
