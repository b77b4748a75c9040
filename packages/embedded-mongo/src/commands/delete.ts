import { docOf } from "../query/document.ts";
import { CommandError } from "../query/error.ts";
import type { Arguments } from "./arguments.ts";
import type { Command, CommandContext } from "./command.ts";
import { letVariables } from "./let-variables.ts";
import { statementsOf } from "./statements.ts";
import { queryOf, targets } from "./target.ts";
import { checkBatch, runStatements } from "./write-result.ts";

export const deleteCommand: Command = {
  fields: ["deletes", "ordered", "let"],
  run: async (context) => {
    const { engine, args } = context;
    const statements = statementsOf(
      context,
      "deletes",
      ["q", "limit"],
      ["hint", "collation", "sampleId"],
    );
    checkBatch(statements.length);
    const ordered = args.boolean("ordered", true);
    let removed = 0;
    const errors = await engine.write(() => {
      removed = 0;
      return runStatements(statements, ordered, (statement) => {
        runDelete(context, statement, () => {
          removed += 1;
        });
      });
    });
    return docOf({ n: removed, writeErrors: errors.length > 0 ? errors : undefined });
  },
};

function runDelete(context: CommandContext, statement: Arguments, onRemoved: () => void): void {
  const { args, readCollection: collection } = context;
  const limit = statement.optionalCount("limit");
  if (limit !== 0 && limit !== 1) {
    throw new CommandError(
      "FailedToParse",
      `The limit field in delete objects must be 0 or 1. Got ${limit}`,
    );
  }
  const query = queryOf(statement, "q", letVariables(args));
  const { records } = targets(context, collection, query, limit || Number.POSITIVE_INFINITY);
  for (const { rid, doc } of records) {
    collection.remove(rid, doc);
    onRemoved();
  }
}
