import { CommandError } from "../../query/error.ts";

const MINUTE = 60_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Milliseconds by which a zone is ahead of UTC at an instant. */
export type Zone = (utc: number) => number;

const UTC: Zone = () => 0;

/** `UTC`, an offset such as `+05:30`, or a name of the Olson database. */
export function zoneOf(name: string): Zone {
  if (/^(?:UTC|GMT|Z)$/.test(name)) {
    return UTC;
  }
  const offset = /^([+-])(\d{2}):?(\d{2})?$/.exec(name);
  if (offset) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3] ?? 0);
    const millis = (offset[1] === "-" ? -minutes : minutes) * MINUTE;
    return () => millis;
  }
  const format = formatFor(name);
  return (utc) => {
    const part = new Map(format.formatToParts(utc).map(({ type, value }) => [type, Number(value)]));
    const local = Date.UTC(
      part.get("year") ?? 0,
      (part.get("month") ?? 1) - 1,
      part.get("day"),
      part.get("hour"),
      part.get("minute"),
      part.get("second"),
    );
    return local - Math.floor(utc / 1000) * 1000;
  };
}

function formatFor(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) {
    return known;
  }
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formats.set(timeZone, format);
    return format;
  } catch {
    throw new CommandError(40485, `unrecognized time zone identifier: "${timeZone}"`);
  }
}

/** A date whose UTC fields are the local time in the zone. */
export function toLocal(date: Date, zone: Zone): Date {
  return new Date(date.getTime() + zone(date.getTime()));
}

/** The instant of a local time; one that the clocks skipped or repeat takes the later offset. */
export function fromLocal(local: number, zone: Zone): Date {
  const guess = local - zone(local);
  return new Date(local - zone(guess));
}
