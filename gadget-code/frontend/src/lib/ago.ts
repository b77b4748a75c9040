import { duration } from "@gadget/api";

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
