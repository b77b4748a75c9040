/** A length of time as a person says it: 41 ms, 3.2 s, 2 min 5 s, 1 h 3 min, 4 d. */
export function duration(ms: number): string {
  if (ms < 1_000) {
    return `${Math.max(0, Math.round(ms))} ms`;
  }
  if (ms < 10_000) {
    return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  }
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) {
    return `${seconds} s`;
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) {
    return withRest(minutes, "min", seconds % 60, "s");
  }
  const hours = Math.floor(minutes / 60);
  if (hours < 24) {
    return withRest(hours, "h", minutes % 60, "min");
  }
  return `${Math.floor(hours / 24)} d`;
}

function withRest(count: number, unit: string, rest: number, small: string): string {
  return rest === 0 ? `${count} ${unit}` : `${count} ${unit} ${rest} ${small}`;
}
