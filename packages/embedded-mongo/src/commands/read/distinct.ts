import { compareValues } from "../../bson/compare-values.ts";
import { distinctValues } from "../../bson/document.ts";
import type { Value } from "../../bson/value.ts";
import { encodeIndexKey } from "../../keys/index-key.ts";
import { matchingRecords } from "../../plan/matching-records.ts";
import { plan } from "../../plan/plan.ts";
import type { Command } from "../command.ts";
import { queryOf } from "../query-of.ts";

export const distinct: Command = {
  fields: ["key", "query", "collation", "hint"],
  run: async (context) => {
    const { engine, readCollection: collection, args } = context;
    const key = args.string("key");
    const query = queryOf(args, "query");
    const values = new DistinctValues();
    const slice = context.slice();
    for (const record of matchingRecords(engine.store, collection, plan(collection, query))) {
      const pause = slice.pause();
      if (pause !== undefined) {
        await pause;
      }
      if (record === undefined) {
        continue;
      }
      for (const value of distinctValues(record.doc, key)) {
        values.add(value);
      }
    }
    return new Map([["values", values.sorted()]]);
  },
};

/** Values that differ in the order of values, the first of each. */
class DistinctValues {
  readonly #byKey = new Map<string, Value>();

  add(value: Value): void {
    const key = Buffer.from(encodeIndexKey([value], [1])).toString("latin1");
    if (!this.#byKey.has(key)) {
      this.#byKey.set(key, value);
    }
  }

  sorted(): Value[] {
    return [...this.#byKey.values()].sort(compareValues);
  }
}
