/** `npm run torture` runs all of it; `npm test` a sample. */
export const isLong = process.env["TORTURE"] === "long";

/** The same in every `npm test`, so that a failure comes again; `npm run torture` looks further. */
export const seed = Number(process.env["TORTURE_SEED"] ?? "41");

/** Random numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function randomOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** As many of them as wanted, evenly spread, the first and the last among them. */
export function spread<T>(all: readonly T[], wanted: number): T[] {
  if (all.length <= wanted) {
    return [...all];
  }
  const step = (all.length - 1) / Math.max(1, wanted - 1);
  return Array.from({ length: wanted }, (_, index) => all[Math.round(index * step)] as T);
}

/** Works through the list, some at a time. */
export async function someAtATime<T>(
  list: readonly T[],
  lanes: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...list];
  const lane = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
