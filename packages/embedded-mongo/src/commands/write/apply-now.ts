import { CommandError } from "../../bson/command-error.ts";
import { matchingRecords, StoredRecord } from "../../plan/matching-records.ts";
import { type Plan, plan, type Query } from "../../plan/plan.ts";
import type { Collection } from "../../storage/collection.ts";
import type { CommandContext } from "../command.ts";

/** How long a search may last within a write, and a write before it lets others through. */
export const writeMs = 20;
/** How often a search that found nothing is repeated because somebody wrote meanwhile. */
const maxRepeats = 3;

/** What a write statement does with what its query finds. Its methods are called inside a write. */
export interface Change {
  query: Query;
  /** 1, or infinity. */
  limit: number;
  each(collection: Collection, record: StoredRecord, plan: Plan): void;
  /** Nothing was found. */
  none?(): void;
  /** All went well. */
  done?(): void;
}

/**
 * Inside a write: all records are found before the first is changed. False if that takes long;
 * then nothing was done, and `applySlowly` has to.
 */
export function applyNow(context: CommandContext, change: Change): boolean {
  const { query, limit } = change;
  const collection = context.readCollection;
  const chosen = plan(collection, { ...query, limited: limit === 1 });
  const until = performance.now() + writeMs;
  const found: StoredRecord[] = [];
  for (const record of matchingRecords(context.engine.store, collection, chosen, limit)) {
    if (performance.now() > until) {
      return false;
    }
    if (record !== undefined) {
      found.push(record);
    }
    if (found.length >= limit) {
      break;
    }
  }
  for (const record of found) {
    change.each(collection, record, chosen);
  }
  if (found.length === 0) {
    change.none?.();
  }
  change.done?.();
  return true;
}

/**
 * As MongoDB does: searches while others are served, and looks at each record again when it changes
 * it. What is found is changed in several writes.
 */
export async function applySlowly(context: CommandContext, change: Change): Promise<void> {
  for (let repeats = 0; ; repeats += 1) {
    const collection = context.readCollection;
    const { version } = collection;
    const { chosen, rids } = await search(context, collection, change);
    if (rids.length > 0) {
      const changed = await changeAll(context, collection, change, chosen, rids);
      if (changed > 0 || change.limit > 1) {
        change.done?.();
        return;
      }
      continue;
    }
    const isDone = await context.engine.write(() => {
      const isSame = context.readCollection === collection && collection.version === version;
      if (!isSame && repeats < maxRepeats) {
        return false;
      }
      change.none?.();
      return true;
    });
    if (isDone) {
      change.done?.();
      return;
    }
  }
}

async function search(
  context: CommandContext,
  collection: Collection,
  { query, limit }: Change,
): Promise<{ chosen: Plan; rids: number[] }> {
  const chosen = plan(collection, { ...query, limited: limit === 1 });
  const rids: number[] = [];
  for (const record of matchingRecords(context.engine.store, collection, chosen, limit)) {
    const pause = context.slice().pause();
    if (pause !== undefined) {
      await pause;
    }
    if (record !== undefined) {
      rids.push(record.rid);
    }
    if (rids.length >= limit) {
      break;
    }
  }
  return { chosen, rids };
}

/** How many records were changed. */
async function changeAll(
  context: CommandContext,
  collection: Collection,
  change: Change,
  chosen: Plan,
  rids: readonly number[],
): Promise<number> {
  let next = 0;
  let changed = 0;
  while (next < rids.length) {
    const pause = context.slice().pause();
    if (pause !== undefined) {
      await pause;
    }
    const failure = await context.engine.write(() => {
      const until = performance.now() + writeMs;
      const isGone = context.readCollection !== collection;
      while (next < rids.length && performance.now() < until) {
        const rid = rids[next] ?? 0;
        next += 1;
        const bytes = isGone ? undefined : collection.get(rid);
        const record = bytes === undefined ? undefined : new StoredRecord(rid, bytes);
        if (record === undefined || !chosen.filter.matches(record.doc)) {
          continue;
        }
        try {
          change.each(collection, record, chosen);
        } catch (error) {
          // What was changed before it stays.
          if (error instanceof CommandError) {
            return error;
          }
          throw error;
        }
        changed += 1;
      }
      return undefined;
    });
    if (failure !== undefined) {
      throw failure;
    }
  }
  return changed;
}
