import { docOf } from "../../bson/document.ts";
import { matchingRecords } from "../../plan/matching-records.ts";
import type { Query } from "../../plan/plan.ts";
import { plan } from "../../plan/plan.ts";
import type { Command, CommandContext } from "../command.ts";
import { queryOf } from "../query-of.ts";
import { type Window, windowOf } from "./find.ts";

/** How many documents match, without decoding what needs no look. */
export async function countMatches(
  context: CommandContext,
  query: Query,
  { skip, limit }: Window,
): Promise<number> {
  const { engine, readCollection: collection } = context;
  const most = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  if (query.filter.size === 0 && query.hint === undefined) {
    return Math.min(Math.max(collection.count() - skip, 0), most);
  }
  let found = 0;
  const slice = context.slice();
  for (const record of matchingRecords(engine.store, collection, plan(collection, query))) {
    const pause = slice.pause();
    if (pause !== undefined) {
      await pause;
    }
    if (record === undefined) {
      continue;
    }
    found += 1;
    if (found - skip >= most) {
      break;
    }
  }
  return Math.max(found - skip, 0);
}

export const count: Command = {
  fields: ["query", "limit", "skip", "hint", "collation", "fields"],
  run: async (context) => {
    const { args } = context;
    return docOf({ n: await countMatches(context, queryOf(args, "query"), windowOf(args)) });
  },
};
