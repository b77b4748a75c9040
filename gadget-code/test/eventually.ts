/** Asks again until it is so; fails with the last answer when that takes too long. */
export async function eventually<T>(
  look: () => Promise<T> | T,
  isSo: (value: T) => boolean,
  withinMs = 10_000,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await look();
    if (isSo(value)) {
      return value;
    }
    if (performance.now() > deadline) {
      throw new Error(`it did not come about: ${JSON.stringify(value)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
