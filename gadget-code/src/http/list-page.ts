import { RefusalError } from "@gadget/api";
import type { Model, QueryFilter } from "mongoose";

interface Listed {
  _id: string;
  createdAt: Date;
}

interface Page {
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** A page of a list, newest first. The cursor is the last row's place, so new rows shift nothing. */
export async function listPage<Stored extends Listed, Wire>(
  model: Model<Stored>,
  filter: QueryFilter<Stored>,
  { limit = 50, cursor }: Page,
  toWire: (stored: Stored) => Wire,
  by: "createdAt" | "updatedAt" = "createdAt",
): Promise<{ items: Wire[]; nextCursor: string | null }> {
  const after = cursor === undefined ? {} : placeAfter(cursor, by);
  const rows = await model
    .find({ $and: [filter, after] } as QueryFilter<Stored>)
    .sort({ [by]: -1, _id: -1 })
    .limit(limit + 1)
    .lean<Stored[]>();
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const more = rows.length > limit && last !== undefined;
  return {
    items: items.map(toWire),
    nextCursor: more ? placeCursor(last, by) : null,
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

function placeAfter(cursor: string, by: string): object {
  const [, time, id] = /^(\d+)_(.+)$/.exec(cursor) ?? [];
  if (time === undefined || id === undefined) {
    throw new RefusalError("invalid", "Not valid: cursor: use the nextCursor of the page before.");
  }
  const at = new Date(Number(time));
  return { $or: [{ [by]: { $lt: at } }, { [by]: at, _id: { $lt: id } }] };
}
