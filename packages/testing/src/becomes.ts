import { eventually } from "./eventually.ts";

/** Looks again until it is so; fails with what was seen last when that takes too long. */
export async function becomes<T>(
  look: () => Promise<T> | T,
  isSo: (value: T) => boolean,
  withinMs = 10_000,
): Promise<T> {
  let seen: { value: T } | undefined;
  const lookOnce = async () => {
    seen = { value: await look() };
    return isSo(seen.value) && seen;
  };
  const named = () => `last seen: ${JSON.stringify(seen?.value)}`;
  return (await eventually(named, lookOnce, withinMs)).value;
}
