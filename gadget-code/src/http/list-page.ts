import { RefusalError } from "@gadget/api";
import type { Model, QueryFilter } from "mongoose";

interface Listed {
  _id: string;
  createdAt: Date;
}

export interface Page {
  limit?: number | undefined;
  cursor?: string | undefined;
}

interface Order {
  by?: "createdAt" | "updatedAt";
  oldestFirst?: boolean;
  /** The database gives up after so long; none: it takes its time. */
  maxTimeMS?: number;
}

interface Listing<Wire> {
  items: Wire[];
  nextCursor: string | null;
}

export const badCursor = "The cursor is not valid: use the nextCursor of the page before.";
const latest = 8.64e15;

/** A page of a list, newest first. The cursor is the last row's place, so new rows shift nothing. */
export async function listPage<Stored extends Listed, Wire>(
  model: Model<Stored>,
  filter: QueryFilter<Stored>,
  { limit = 50, cursor }: Page,
  toWire: (stored: Stored) => Wire,
  { by = "createdAt", oldestFirst = false, maxTimeMS = 0 }: Order = {},
): Promise<Listing<Wire>> {
  const after = cursor === undefined ? {} : placeAfter(cursor, by, oldestFirst);
  const direction = oldestFirst ? 1 : -1;
  const rows = await model
    .find({ $and: [filter, after] } as QueryFilter<Stored>)
    .sort({ [by]: direction, _id: direction })
    .limit(limit + 1)
    .maxTimeMS(maxTimeMS)
    .lean<Stored[]>();
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { items: items.map(toWire), nextCursor: more ? placeCursor(last, by) : null };
}

/** A page of a list that is known as a whole; the cursor counts. */
export function slicePage<Item>(items: Item[], { limit = 200, cursor = "0" }: Page): Listing<Item> {
  if (!/^\d{1,9}$/.test(cursor)) {
    throw new RefusalError("invalid", badCursor);
  }
  const end = Number(cursor) + limit;
  return {
    items: items.slice(Number(cursor), end),
    nextCursor: end < items.length ? String(end) : null,
  };
}

/** The cursor with which the page after this row begins. */
export function placeCursor(row: Listed, by: "createdAt" | "updatedAt" = "createdAt"): string {
  return `${placeOf(row, by)}_${row._id}`;
}

function placeOf(row: Listed, by: "createdAt" | "updatedAt"): number {
  const at: unknown = by in row ? Reflect.get(row, by) : row.createdAt;
  return at instanceof Date ? at.getTime() : 0;
}

function placeAfter(cursor: string, by: string, oldestFirst: boolean): object {
  const [, time, id] = /^(\d{1,16})_([\w-]+)$/.exec(cursor) ?? [];
  if (time === undefined || id === undefined || Number(time) > latest) {
    throw new RefusalError("invalid", badCursor);
  }
  const at = new Date(Number(time));
  const beyond = oldestFirst ? "$gt" : "$lt";
  return { $or: [{ [by]: { [beyond]: at } }, { [by]: at, _id: { [beyond]: id } }] };
}
