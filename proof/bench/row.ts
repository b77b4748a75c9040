import { readFile } from "node:fs/promises";

/** As scripts/benchmarks reads it. */
export interface Row {
  name: string;
  value: number;
  unit: string;
  target?: number;
  samples?: readonly number[];
}

export function row(name: string, value: number, unit: string, target?: number): Row {
  const rounded = Math.round(value * 10) / 10;
  return { name, value: rounded, unit, ...(target !== undefined && { target }) };
}

/** The same with all that was measured, of which the value is one number. */
export function sampled(given: Row, samples: readonly number[]): Row {
  return { ...given, samples };
}

/** The median of what was measured. */
export function middle(
  name: string,
  samples: readonly number[],
  unit: string,
  target: number,
): Row {
  return sampled(row(name, quantile(samples, 0.5), unit, target), samples);
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
