import { leadingMatch, leadingSort } from "../aggregate/pipeline.ts";
import type { Query } from "../plan/plan.ts";
import type { Doc } from "../query/value.ts";
import type { CommandContext } from "./command.ts";
import { letVariables } from "./let-variables.ts";

/** What of the pipeline the planner can serve. */
export function pushedDown(
  context: CommandContext,
  stages: readonly Doc[],
): { query: Query; rest: readonly Doc[]; keep: number | undefined } {
  const match = leadingMatch(stages);
  const sort = leadingSort(match.rest);
  const query = {
    ...baseQuery(context),
    filter: match.filter,
    sort: sort.sort,
    limited: sort.limit !== undefined,
  };
  return { query, rest: sort.rest, keep: sort.limit };
}

export function baseQuery({ args }: CommandContext): Query {
  return {
    filter: new Map(),
    hint: args.doc.get("hint"),
    collation: args.optionalObject("collation"),
    variables: letVariables(args),
  };
}
