import { type Plan, plan, type Query } from "../plan/plan.ts";
import { matchingRecords } from "../plan/records.ts";
import { docOf } from "../query/document.ts";
import { CommandError } from "../query/error.ts";
import { type Doc, isDoc } from "../query/value.ts";
import type { Collection } from "../storage/collection.ts";
import { Arguments } from "./arguments.ts";
import type { Command, CommandContext } from "./command.ts";
import { SERVER_VERSION } from "./hello.ts";
import { pushedDown } from "./push-down.ts";
import { queryOf } from "./target.ts";

/** explain says which index a command would use, and with executionStats what that costs. */
export const explain: Command = {
  fields: ["verbosity"],
  run: (context) => {
    const inner = context.args.object("explain");
    const verbosity = context.args.has("verbosity")
      ? context.args.string("verbosity")
      : "allPlansExecution";
    return explained(context, inner, verbosity);
  },
};

/** For `aggregate` with `explain: true`. */
export function explained(context: CommandContext, inner: Doc, verbosity: string): Doc {
  const [name = ""] = inner.keys();
  const innerContext = context.forCommand(new Arguments(name, inner));
  const { readCollection: collection, namespace } = innerContext;
  const { query, stages } = explainedQuery(innerContext);
  const chosen = plan(collection, query);
  const cursor = {
    queryPlanner: {
      namespace,
      indexFilterSet: false,
      parsedQuery: query.filter,
      winningPlan: !collection.exists ? { stage: "EOF" } : winningPlan(chosen),
      rejectedPlans: [],
    },
    executionStats:
      verbosity === "queryPlanner" || !collection.exists
        ? undefined
        : executionStats(innerContext, collection, chosen),
  };
  const shared = { command: inner, serverInfo: { version: SERVER_VERSION } };
  if (stages === undefined) {
    return docOf({ explainVersion: "1", ...cursor, ...shared });
  }
  return docOf({ explainVersion: "1", stages: [{ $cursor: cursor }, ...stages], ...shared });
}

function explainedQuery(context: CommandContext): { query: Query; stages?: readonly Doc[] } {
  const { args } = context;
  switch (args.name) {
    case "find":
      return { query: { ...queryOf(args, "filter"), limited: args.has("limit") } };
    case "count":
    case "distinct":
    case "findAndModify":
      return { query: queryOf(args, "query") };
    case "update":
    case "delete": {
      const [statement] = args.objects(`${args.name}s`);
      if (!isDoc(statement)) {
        throw new CommandError("InvalidLength", "nothing to explain");
      }
      return { query: queryOf(new Arguments(args.name, statement), "q") };
    }
    case "aggregate": {
      const pushed = pushedDown(context, args.objects("pipeline"));
      return { query: pushed.query, stages: pushed.rest };
    }
    default:
      throw new CommandError(
        "CommandNotFound",
        `Explain failed due to unknown command: ${args.name}`,
      );
  }
}

function winningPlan({ index, access, reverse, query, blockingSort }: Plan): Doc {
  const direction = reverse ? "backward" : "forward";
  const found =
    index === undefined
      ? docOf({ stage: "COLLSCAN", filter: query, direction })
      : docOf({
          stage: "FETCH",
          filter: access?.exact === true ? undefined : query,
          inputStage: {
            stage: "IXSCAN",
            keyPattern: index.keyPattern,
            indexName: index.name,
            isMultiKey: index.state.multikey.includes(true),
            isUnique: index.unique,
            isSparse: index.sparse,
            isPartial: index.partial !== undefined,
            direction,
            ranges: access?.ranges.length,
          },
        });
  if (blockingSort === undefined) {
    return found;
  }
  const pattern = Object.fromEntries(
    blockingSort.fields.map(({ path, direction: way }) => [path, way]),
  );
  return docOf({ stage: "SORT", sortPattern: pattern, inputStage: found });
}

function executionStats(
  { engine }: CommandContext,
  collection: Collection,
  chosen: Plan,
): { [name: string]: number | boolean } {
  const counts = { keys: 0, docs: 0 };
  const started = performance.now();
  let returned = 0;
  for (const record of matchingRecords(engine.store, collection, chosen, counts)) {
    if (record !== undefined) {
      returned += 1;
    }
  }
  return {
    executionSuccess: true,
    nReturned: returned,
    executionTimeMillis: Math.round(performance.now() - started),
    totalKeysExamined: counts.keys,
    totalDocsExamined: counts.docs,
  };
}
