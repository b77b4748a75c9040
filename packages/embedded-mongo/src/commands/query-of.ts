import type { Query } from "../plan/plan.ts";
import type { Arguments } from "./arguments.ts";

/** The parts of a query that commands have in common, under the name each gives the filter. */
export function queryOf(args: Arguments, filterField: string): Query {
  args.refuseCollation();
  args.refuse("let", "variables are not supported");
  return {
    filter: args.optionalObject(filterField) ?? new Map(),
    sort: args.optionalObject("sort"),
    hint: args.doc.get("hint"),
  };
}
