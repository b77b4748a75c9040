/** A sequence of numbers from 0 to 1 that is the same for the same seed. */
export function seededNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function shuffled<T>(items: readonly T[], next: () => number): T[] {
  const result = [...items];
  for (let index = result.length - 1; index > 0; index--) {
    const other = Math.floor(next() * (index + 1));
    const [a, b] = [result[index], result[other]];
    if (a !== undefined && b !== undefined) {
      result[index] = b;
      result[other] = a;
    }
  }
  return result;
}
