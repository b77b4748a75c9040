import { CommandError } from "../../bson/command-error.ts";
import { docOf } from "../../bson/document.ts";
import type { Doc } from "../../bson/value.ts";
import { type Plan, plan } from "../../plan/plan.ts";
import { Arguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import { serverVersion } from "../hello.ts";
import { queryOf } from "../query-of.ts";

/** Says which index a find would use. */
export const explain: Command = {
  fields: ["verbosity"],
  run: (context) => {
    const command = context.args.object("explain");
    const [name = ""] = command.keys();
    if (name !== "find" || context.args.doc.get("verbosity") !== "queryPlanner") {
      throw new CommandError(
        "NotImplemented",
        `explain is supported for a find with the verbosity "queryPlanner", not for ${name}`,
      );
    }
    const args = new Arguments(name, command);
    const { readCollection: collection, namespace } = context.forCommand(args);
    const query = { ...queryOf(args, "filter"), limited: args.has("limit") };
    const chosen = plan(collection, query);
    return docOf({
      explainVersion: "1",
      queryPlanner: {
        namespace,
        indexFilterSet: false,
        parsedQuery: query.filter,
        winningPlan: collection.exists ? winningPlan(chosen) : { stage: "EOF" },
        rejectedPlans: [],
      },
      command,
      serverInfo: { version: serverVersion },
    });
  },
};

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
