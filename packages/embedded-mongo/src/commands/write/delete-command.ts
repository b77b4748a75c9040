import { CommandError } from "../../bson/command-error.ts";
import { docOf } from "../../bson/document.ts";
import type { Arguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import { queryOf } from "../query-of.ts";
import type { Change } from "./apply-now.ts";
import { checkBatch, runStatements } from "./run-statements.ts";
import { statementsOf } from "./statements.ts";

export const deleteCommand: Command = {
  fields: ["deletes", "ordered", "let"],
  run: async (context) => {
    context.args.refuse("let", "variables are not supported");
    const statements = statementsOf(
      context,
      "deletes",
      ["q", "limit"],
      ["hint", "collation", "sampleId"],
    );
    checkBatch(statements.length);
    let removed = 0;
    const errors = await runStatements(context, statements, (statement) =>
      deletion(statement, () => {
        removed += 1;
      }),
    );
    return docOf({ n: removed, writeErrors: errors.length > 0 ? errors : undefined });
  },
};

function deletion(statement: Arguments, onRemoved: () => void): Change {
  const limit = statement.optionalCount("limit");
  if (limit !== 0 && limit !== 1) {
    throw new CommandError(
      "FailedToParse",
      `The limit field in delete objects must be 0 or 1. Got ${limit}`,
    );
  }
  return {
    query: queryOf(statement, "q"),
    limit: limit === 1 ? 1 : Number.POSITIVE_INFINITY,
    each: (collection, { rid, doc }) => {
      collection.remove(rid, doc);
      onRemoved();
    },
  };
}
