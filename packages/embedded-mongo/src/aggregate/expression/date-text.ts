import { CommandError } from "../../query/error.ts";
import {
  dayOfYear,
  fromIsoWeek,
  isoDayOfWeek,
  isoWeek,
  isoWeekYear,
  weekOfYear,
} from "./calendar.ts";
import { fromLocal, toLocal, type Zone, zoneOf } from "./time-zone.ts";

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

const pad = (value: number, length: number): string => String(value).padStart(length, "0");

function offsetMinutes(date: Date, zone: Zone): number {
  return Math.round(zone(date.getTime()) / 60_000);
}

function offsetText(minutes: number): string {
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${pad(Math.floor(size / 60), 2)}${pad(size % 60, 2)}`;
}

/** Formats a date by MongoDB's specifiers in a zone. */
export function formatDate(date: Date, format: string, zone: Zone): string {
  const local = toLocal(date, zone);
  return format.replace(/%([^])?/g, (_whole, letter: string | undefined) => {
    switch (letter) {
      case "%":
        return "%";
      case "Y":
        return pad(local.getUTCFullYear(), 4);
      case "m":
        return pad(local.getUTCMonth() + 1, 2);
      case "b":
        return (MONTHS[local.getUTCMonth()] ?? "").slice(0, 3);
      case "B":
        return MONTHS[local.getUTCMonth()] ?? "";
      case "d":
        return pad(local.getUTCDate(), 2);
      case "H":
        return pad(local.getUTCHours(), 2);
      case "M":
        return pad(local.getUTCMinutes(), 2);
      case "S":
        return pad(local.getUTCSeconds(), 2);
      case "L":
        return pad(local.getUTCMilliseconds(), 3);
      case "j":
        return pad(dayOfYear(local), 3);
      case "w":
        return String(local.getUTCDay() + 1);
      case "u":
        return String(isoDayOfWeek(local));
      case "U":
        return pad(weekOfYear(local), 2);
      case "V":
        return pad(isoWeek(local), 2);
      case "G":
        return pad(isoWeekYear(local), 4);
      case "z":
        return offsetText(offsetMinutes(date, zone));
      case "Z":
        return String(offsetMinutes(date, zone));
      default:
        throw new CommandError(
          18536,
          letter === undefined
            ? "Unmatched '%' at end of format string"
            : `Invalid format character '%${letter}' in format string`,
        );
    }
  });
}

const ISO =
  /^(\d{4})-?(\d{2})-?(\d{2})(?:[T ](\d{2}):?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/i;

function parseFailure(text: string, reason: string): CommandError {
  return new CommandError("ConversionFailure", `Error parsing date string '${text}'; ${reason}`);
}

/** A date in ISO 8601's forms; other forms are refused rather than guessed. */
export function parseDate(text: string, zoneName: string | undefined): Date {
  const match = ISO.exec(text.trim());
  if (!match) {
    throw parseFailure(text, "it is not in a supported format (ISO 8601)");
  }
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = "", offset] = match;
  if (offset !== undefined && zoneName !== undefined && zoneName !== "UTC") {
    throw parseFailure(
      text,
      "you cannot pass in a date/time string with time zone information together with a timezone argument",
    );
  }
  const millis = Math.trunc(Number(`0.${fraction || "0"}`) * 1000);
  const fields = [year, month, day, hour, minute, second].map(Number);
  const zone = zoneOf(offset?.toUpperCase() ?? zoneName ?? "UTC");
  return dateFrom(fields, millis, zone, text);
}

function dateFrom(fields: readonly number[], millis: number, zone: Zone, text: string): Date {
  const [year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0] = fields;
  const valid =
    month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour <= 24 && minute < 60 && second < 60;
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  local.setUTCHours(hour, minute, second, millis);
  if (!valid || (hour < 24 && local.getUTCDate() !== day)) {
    throw parseFailure(text, "a field is out of range");
  }
  return fromLocal(local.getTime(), zone);
}

const PATTERNS: Readonly<Record<string, string>> = {
  Y: "\\d{4}",
  m: "\\d{1,2}",
  d: "\\d{1,2}",
  H: "\\d{1,2}",
  M: "\\d{1,2}",
  S: "\\d{1,2}",
  L: "\\d{1,3}",
  j: "\\d{1,3}",
  G: "\\d{4}",
  V: "\\d{1,2}",
  u: "[1-7]",
  z: "[+-]\\d{2}:?\\d{2}|Z",
  b: MONTHS.map((month) => month.slice(0, 3)).join("|"),
  B: MONTHS.join("|"),
};

/** A date by an explicit format, each field of which must be there. */
export function parseDateWithFormat(
  text: string,
  format: string,
  zoneName: string | undefined,
): Date {
  const letters: string[] = [];
  const source = format.replace(/%([^])|[^%]/g, (part, letter: string | undefined) => {
    if (letter === undefined) {
      return part.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");
    }
    if (letter === "%") {
      return "%";
    }
    const pattern = PATTERNS[letter];
    if (pattern === undefined) {
      throw new CommandError(18536, `Invalid format character '%${letter}' in format string`);
    }
    letters.push(letter);
    return `(${pattern})`;
  });
  const match = new RegExp(`^${source}$`, "i").exec(text);
  if (!match) {
    throw parseFailure(text, `it does not match the format '${format}'`);
  }
  const field = new Map(letters.map((letter, i) => [letter, match[i + 1] ?? ""]));
  const number = (letter: string, fallback: number): number =>
    field.has(letter) ? Number(field.get(letter)) : fallback;
  const zone = zoneOf(field.get("z")?.toUpperCase() ?? zoneName ?? "UTC");
  const clock = [number("H", 0), number("M", 0), number("S", 0)];
  if (field.has("G")) {
    const day = new Date(fromIsoWeek(number("G", 1970), number("V", 1), number("u", 1)));
    const fields = [day.getUTCFullYear(), day.getUTCMonth() + 1, day.getUTCDate(), ...clock];
    return dateFrom(fields, number("L", 0), zone, text);
  }
  const monthText = field.get("B") ?? field.get("b");
  const month = monthText
    ? MONTHS.findIndex((name) => name.toLowerCase().startsWith(monthText.toLowerCase())) + 1
    : number("m", 1);
  if (field.has("j")) {
    const day = new Date(Date.UTC(number("Y", 1970), 0, number("j", 1)));
    const fields = [day.getUTCFullYear(), day.getUTCMonth() + 1, day.getUTCDate(), ...clock];
    return dateFrom(fields, number("L", 0), zone, text);
  }
  return dateFrom([number("Y", 1970), month, number("d", 1), ...clock], number("L", 0), zone, text);
}
