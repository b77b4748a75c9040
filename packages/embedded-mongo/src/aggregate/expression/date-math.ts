import { CommandError } from "../../query/error.ts";
import { wholeNumber } from "../../query/numeric.ts";
import { isNullish, isNumeric, type Value } from "../../query/value.ts";
import { dateValue, zoneArgument } from "./date.ts";
import { named, type OperatorCompiler, typeOf } from "./operator.ts";
import { fromLocal, toLocal, type Zone } from "./time-zone.ts";

type Maybe = Value | undefined;

const MONTHS = new Map([
  ["year", 12],
  ["quarter", 3],
  ["month", 1],
]);

const MILLIS = new Map([
  ["week", 604_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
  ["millisecond", 1],
]);

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

function unitOf(value: Maybe, name: string): string {
  if (typeof value === "string" && (MONTHS.has(value) || MILLIS.has(value))) {
    return value;
  }
  throw new CommandError(
    "FailedToParse",
    `${name} parameter 'unit' value cannot be recognized as a time unit: ${typeof value === "string" ? value : typeOf(value)}`,
  );
}

function whole(value: Maybe, message: string): number {
  const integer = isNumeric(value) ? wholeNumber(value) : undefined;
  if (integer === undefined) {
    throw new CommandError(5166405, `${message}, found ${typeOf(value)}`);
  }
  return Number(integer);
}

/** Months and days keep the local clock time; hours and less are exact lengths. */
function moved(date: Date, unit: string, amount: number, zone: Zone): Date {
  const months = MONTHS.get(unit);
  const millis = MILLIS.get(unit) ?? 0;
  if (months === undefined && millis < 86_400_000) {
    return new Date(date.getTime() + amount * millis);
  }
  const local = toLocal(date, zone);
  if (months === undefined) {
    return fromLocal(local.getTime() + amount * millis, zone);
  }
  const day = local.getUTCDate();
  local.setUTCDate(1);
  local.setUTCMonth(local.getUTCMonth() + amount * months);
  const last = new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 0)).getUTCDate();
  local.setUTCDate(Math.min(day, last));
  return fromLocal(local.getTime(), zone);
}

function adder(name: string, sign: 1 | -1): OperatorCompiler {
  return named(["startDate", "unit", "amount"], ["timezone"], (argument, given) => {
    const [start, unit, amount] = [argument("startDate"), argument("unit"), argument("amount")];
    const zone = zoneArgument(argument("timezone"), given.has("timezone"));
    if (isNullish(start) || isNullish(unit) || isNullish(amount) || zone === null) {
      return null;
    }
    const count = whole(amount, `${name} expects integer amount of time units`);
    const result = moved(dateValue(start), unitOf(unit, name), sign * count, zone);
    if (Number.isNaN(result.getTime())) {
      throw new CommandError("Overflow", `${name} overflowed`);
    }
    return result;
  });
}

function startOfWeek(value: Maybe, name: string): number {
  if (value === undefined) {
    return 0;
  }
  const text = typeof value === "string" ? value.toLowerCase() : "";
  const day = WEEKDAYS.findIndex((weekday) => weekday === text || weekday.slice(0, 3) === text);
  if (day < 0) {
    throw new CommandError(
      "FailedToParse",
      `${name} parameter 'startOfWeek' value cannot be recognized as a day of a week`,
    );
  }
  return day;
}

/** The number of the unit that a local time is in, counted from an origin that all share. */
function unitNumber(local: Date, unit: string, firstDay: number): number {
  const months = MONTHS.get(unit);
  if (months !== undefined) {
    return Math.floor((local.getUTCFullYear() * 12 + local.getUTCMonth()) / months);
  }
  const millis = MILLIS.get(unit) ?? 1;
  // 1970-01-01 was a Thursday.
  const shift = unit === "week" ? (4 - firstDay) * 86_400_000 : 0;
  return Math.floor((local.getTime() + shift) / millis);
}

const dateDiff = named(
  ["startDate", "endDate", "unit"],
  ["timezone", "startOfWeek"],
  (argument, given) => {
    const [start, end, unit] = [argument("startDate"), argument("endDate"), argument("unit")];
    const zone = zoneArgument(argument("timezone"), given.has("timezone"));
    if (isNullish(start) || isNullish(end) || isNullish(unit) || zone === null) {
      return null;
    }
    const name = unitOf(unit, "$dateDiff");
    const firstDay = startOfWeek(argument("startOfWeek"), "$dateDiff");
    const count = (value: Maybe): number =>
      unitNumber(toLocal(dateValue(value), zone), name, firstDay);
    return BigInt(count(end) - count(start));
  },
);

const dateTrunc = named(
  ["date", "unit"],
  ["binSize", "timezone", "startOfWeek"],
  (argument, given) => {
    const [date, unit] = [argument("date"), argument("unit")];
    const zone = zoneArgument(argument("timezone"), given.has("timezone"));
    const binSize = given.has("binSize") ? argument("binSize") : 1;
    if (isNullish(date) || isNullish(unit) || isNullish(binSize) || zone === null) {
      return null;
    }
    const size = whole(binSize, "$dateTrunc requires 'binSize' to be a 64-bit integer");
    if (size < 1) {
      throw new CommandError(5439018, "$dateTrunc requires 'binSize' to be greater than 0");
    }
    const firstDay = startOfWeek(argument("startOfWeek"), "$dateTrunc");
    return truncated(
      toLocal(dateValue(date), zone),
      unitOf(unit, "$dateTrunc"),
      size,
      firstDay,
      zone,
    );
  },
);

/** Bins are counted from 2000-01-01, weeks from the first start of a week on or after it. */
function truncated(local: Date, unit: string, size: number, firstDay: number, zone: Zone): Date {
  const origin = new Date(Date.UTC(2000, 0, 1));
  // 2000-01-01 was a Saturday.
  if (unit === "week") {
    origin.setUTCDate(1 + ((firstDay + 7 - 6) % 7));
  }
  const start = unitNumber(origin, unit, firstDay);
  const bin = Math.floor((unitNumber(local, unit, firstDay) - start) / size) * size;
  return fromLocal(moved(origin, unit, bin, () => 0).getTime(), zone);
}

export const dateMath: ReadonlyMap<string, OperatorCompiler> = new Map([
  ["$dateAdd", adder("$dateAdd", 1)],
  ["$dateSubtract", adder("$dateSubtract", -1)],
  ["$dateDiff", dateDiff],
  ["$dateTrunc", dateTrunc],
]);
