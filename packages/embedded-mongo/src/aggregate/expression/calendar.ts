const DAY = 86_400_000;

/** Fields of a date by its UTC calendar; give it a local date for another zone. */
export function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY) + 1;
}

/** Weeks begin on Sunday; days before the first Sunday are in week 0. */
export function weekOfYear(date: Date): number {
  return Math.floor((dayOfYear(date) + 6 - date.getUTCDay()) / 7);
}

/** Monday is 1. */
export function isoDayOfWeek(date: Date): number {
  return date.getUTCDay() || 7;
}

/** The ISO week is in the year of its Thursday. */
function isoThursday(date: Date): Date {
  return new Date(date.getTime() + (4 - isoDayOfWeek(date)) * DAY);
}

export function isoWeekYear(date: Date): number {
  return isoThursday(date).getUTCFullYear();
}

export function isoWeek(date: Date): number {
  return Math.floor((dayOfYear(isoThursday(date)) - 1) / 7) + 1;
}

/** Milliseconds of midnight on a day of an ISO week. */
export function fromIsoWeek(year: number, week: number, day: number): number {
  const january4 = new Date(Date.UTC(year, 0, 4));
  const monday = january4.getTime() - (isoDayOfWeek(january4) - 1) * DAY;
  return monday + ((week - 1) * 7 + day - 1) * DAY;
}
