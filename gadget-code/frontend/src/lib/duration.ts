/** 41 ms · 3.2 s · 1 min 5 s · 2 h 3 min */
export function duration(ms: number): string {
  if (ms < 1_000) {
    return `${Math.round(ms)} ms`;
  }
  if (ms < 10_000) {
    return `${(ms / 1_000).toFixed(1)} s`;
  }
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) {
    return `${seconds} s`;
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) {
    return `${minutes} min ${seconds % 60} s`;
  }
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A running clock: whole seconds, so that it does not twitch. */
export function elapsed(ms: number): string {
  return ms < 60_000 ? `${Math.floor(ms / 1_000)} s` : duration(ms);
}

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** "2 hours ago"; what is younger than a minute is "just now". */
export function ago(instant: string, now = Date.now()): string {
  const passed = now - Date.parse(instant);
  for (const [unit, ms] of units) {
    if (passed >= ms) {
      return relative.format(-Math.floor(passed / ms), unit);
    }
  }
  return "just now";
}

const time: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const clock = new Intl.DateTimeFormat("en", time);
const dayAndClock = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", ...time });

/** 14:03 · Nov 17, 14:03 on another day */
export function clockTime(instant: string, now = Date.now()): string {
  const date = new Date(instant);
  const isToday = date.toDateString() === new Date(now).toDateString();
  return (isToday ? clock : dayAndClock).format(date);
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}
