import { Int32, ObjectId, Timestamp } from "bson";
import { CommandError } from "../../query/error.ts";
import { wholeNumber } from "../../query/numeric.ts";
import { type Doc, isDoc, isNullish, isNumeric, type Value } from "../../query/value.ts";
import {
  dayOfYear,
  fromIsoWeek,
  isoDayOfWeek,
  isoWeek,
  isoWeekYear,
  weekOfYear,
} from "./calendar.ts";
import { formatDate, parseDate, parseDateWithFormat } from "./date-text.ts";
import { named, type OperatorCompiler, typeOf, unary } from "./operator.ts";
import { fromLocal, toLocal, type Zone, zoneOf } from "./time-zone.ts";

type Maybe = Value | undefined;

export function dateValue(value: Maybe): Date {
  if (value instanceof Date) {
    return value;
  }
  if (value instanceof ObjectId) {
    return value.getTimestamp();
  }
  if (value instanceof Timestamp) {
    return new Date(value.t * 1000);
  }
  throw new CommandError(16006, `can't convert from BSON type ${typeOf(value)} to Date`);
}

/** The zone of an optional argument; null if the argument is null. */
export function zoneArgument(value: Maybe, isGiven: boolean): Zone | null {
  if (!isGiven) {
    return zoneOf("UTC");
  }
  if (isNullish(value)) {
    return null;
  }
  if (typeof value === "string") {
    return zoneOf(value);
  }
  throw new CommandError(40517, `timezone must evaluate to a string, found ${typeOf(value)}`);
}

/** An operator that takes a date, or `{ date, timezone }`. */
function part(compute: (local: Date) => Value): OperatorCompiler {
  const withZone = named(["date"], ["timezone"], (argument, given) => {
    const zone = zoneArgument(argument("timezone"), given.has("timezone"));
    const date = argument("date");
    return isNullish(date) || zone === null ? null : compute(toLocal(dateValue(date), zone));
  });
  const alone = unary((value) => (isNullish(value) ? null : compute(dateValue(value))));
  return (operand, compiler, name) => {
    const isNamed = isDoc(operand) && !([...operand.keys()][0]?.startsWith("$") ?? false);
    return (isNamed ? withZone : alone)(operand, compiler, name);
  };
}

const int = (compute: (local: Date) => number): OperatorCompiler =>
  part((local) => new Int32(compute(local)));

const dateToString = named(["date"], ["format", "timezone", "onNull"], (argument, given) => {
  const date = argument("date");
  if (isNullish(date)) {
    return given.has("onNull") ? argument("onNull") : null;
  }
  const zone = zoneArgument(argument("timezone"), given.has("timezone"));
  if (zone === null) {
    return null;
  }
  const isUtc = !given.has("timezone") || argument("timezone") === "UTC";
  const format = given.has("format")
    ? argument("format")
    : `%Y-%m-%dT%H:%M:%S.%L${isUtc ? "Z" : "%z"}`;
  if (isNullish(format)) {
    return null;
  }
  if (typeof format !== "string") {
    throw new CommandError(
      18533,
      `$dateToString requires that 'format' be a string, found: ${typeOf(format)}`,
    );
  }
  return formatDate(dateValue(date), format, zone);
});

const dateFromString = named(
  ["dateString"],
  ["format", "timezone", "onError", "onNull"],
  (argument, given) => {
    const text = argument("dateString");
    if (isNullish(text)) {
      return given.has("onNull") ? argument("onNull") : null;
    }
    const zone = argument("timezone");
    if (given.has("timezone") && isNullish(zone)) {
      return null;
    }
    const zoneName = typeof zone === "string" ? zone : undefined;
    const format = argument("format");
    try {
      if (typeof text !== "string") {
        throw new CommandError(
          "ConversionFailure",
          `$dateFromString requires that 'dateString' be a string, found: ${typeOf(text)}`,
        );
      }
      return typeof format === "string"
        ? parseDateWithFormat(text, format, zoneName)
        : parseDate(text, zoneName);
    } catch (error) {
      const isConversion = error instanceof CommandError && error.codeName === "ConversionFailure";
      if (isConversion && given.has("onError")) {
        return argument("onError");
      }
      throw error;
    }
  },
);

const dateToParts = named(["date"], ["timezone", "iso8601"], (argument, given) => {
  const date = argument("date");
  const zone = zoneArgument(argument("timezone"), given.has("timezone"));
  if (isNullish(date) || zone === null) {
    return null;
  }
  const local = toLocal(dateValue(date), zone);
  const fields: [string, number][] =
    argument("iso8601") === true
      ? [
          ["isoWeekYear", isoWeekYear(local)],
          ["isoWeek", isoWeek(local)],
          ["isoDayOfWeek", isoDayOfWeek(local)],
        ]
      : [
          ["year", local.getUTCFullYear()],
          ["month", local.getUTCMonth() + 1],
          ["day", local.getUTCDate()],
        ];
  fields.push(
    ["hour", local.getUTCHours()],
    ["minute", local.getUTCMinutes()],
    ["second", local.getUTCSeconds()],
    ["millisecond", local.getUTCMilliseconds()],
  );
  return new Map(fields.map(([name, value]) => [name, new Int32(value)])) satisfies Doc;
});

const PARTS = [
  "year",
  "isoWeekYear",
  "month",
  "isoWeek",
  "day",
  "isoDayOfWeek",
  "hour",
  "minute",
  "second",
  "millisecond",
];

const dateFromParts = named([], [...PARTS, "timezone"], (argument, given) => {
  const zone = zoneArgument(argument("timezone"), given.has("timezone"));
  const values = new Map<string, number>();
  for (const name of PARTS) {
    if (!given.has(name)) {
      continue;
    }
    const value = argument(name);
    if (isNullish(value)) {
      return null;
    }
    const whole = isNumeric(value) ? wholeNumber(value) : undefined;
    if (whole === undefined) {
      throw new CommandError(
        40515,
        `'${name}' must evaluate to an integer, found ${typeOf(value)}`,
      );
    }
    values.set(name, Number(whole));
  }
  if (zone === null) {
    return null;
  }
  const get = (name: string, fallback: number): number => values.get(name) ?? fallback;
  const isIso = values.has("isoWeekYear");
  if (!isIso && !values.has("year")) {
    throw new CommandError(
      40516,
      "$dateFromParts requires either 'year' or 'isoWeekYear' to be present",
    );
  }
  const local = new Date(0);
  if (isIso) {
    local.setTime(fromIsoWeek(get("isoWeekYear", 1970), get("isoWeek", 1), get("isoDayOfWeek", 1)));
  } else {
    local.setUTCFullYear(get("year", 1970), get("month", 1) - 1, get("day", 1));
  }
  local.setUTCHours(get("hour", 0), get("minute", 0), get("second", 0), get("millisecond", 0));
  return fromLocal(local.getTime(), zone);
});

function timestampPart(name: string, compute: (value: Timestamp) => number): OperatorCompiler {
  return unary((value) => {
    if (isNullish(value)) {
      return null;
    }
    if (value instanceof Timestamp) {
      return BigInt(compute(value));
    }
    throw new CommandError(
      5687301,
      `${name} requires a timestamp argument, found: ${typeOf(value)}`,
    );
  });
}

export const dates: ReadonlyMap<string, OperatorCompiler> = new Map([
  ["$year", int((local) => local.getUTCFullYear())],
  ["$month", int((local) => local.getUTCMonth() + 1)],
  ["$dayOfMonth", int((local) => local.getUTCDate())],
  ["$dayOfWeek", int((local) => local.getUTCDay() + 1)],
  ["$dayOfYear", int(dayOfYear)],
  ["$hour", int((local) => local.getUTCHours())],
  ["$minute", int((local) => local.getUTCMinutes())],
  ["$second", int((local) => local.getUTCSeconds())],
  ["$millisecond", int((local) => local.getUTCMilliseconds())],
  ["$week", int(weekOfYear)],
  ["$isoWeek", int(isoWeek)],
  ["$isoDayOfWeek", int(isoDayOfWeek)],
  ["$isoWeekYear", part((local) => BigInt(isoWeekYear(local)))],
  ["$dateToString", dateToString],
  ["$dateFromString", dateFromString],
  ["$dateToParts", dateToParts],
  ["$dateFromParts", dateFromParts],
  ["$tsSecond", timestampPart("$tsSecond", ({ t }) => t)],
  ["$tsIncrement", timestampPart("$tsIncrement", ({ i }) => i)],
]);
