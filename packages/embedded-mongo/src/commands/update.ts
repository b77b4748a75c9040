import { docOf } from "../query/document.ts";
import { CommandError } from "../query/error.ts";
import { compileUpdate } from "../query/update.ts";
import type { Doc } from "../query/value.ts";
import type { Arguments } from "./arguments.ts";
import type { Command, CommandContext } from "./command.ts";
import { writableCollection } from "./insert.ts";
import { letVariables } from "./let-variables.ts";
import { modify, upsert } from "./modify.ts";
import { statementsOf } from "./statements.ts";
import { queryOf, targets } from "./target.ts";
import { checkBatch, runStatements } from "./write-result.ts";

const OPTIONAL_FIELDS = [
  "c",
  "multi",
  "upsert",
  "hint",
  "arrayFilters",
  "collation",
  "upsertSupplied",
  "sampleId",
];

interface Tally {
  matched: number;
  modified: number;
  upserted: Doc[];
}

export const update: Command = {
  fields: ["updates", "ordered", "bypassDocumentValidation", "let"],
  run: async (context) => {
    const { engine, args } = context;
    const statements = statementsOf(context, "updates", ["q", "u"], OPTIONAL_FIELDS);
    checkBatch(statements.length);
    const ordered = args.boolean("ordered", true);
    let tally: Tally = { matched: 0, modified: 0, upserted: [] };
    const errors = await engine.write(() => {
      tally = { matched: 0, modified: 0, upserted: [] };
      return runStatements(statements, ordered, (statement, index) =>
        runUpdate(context, statement, index, tally),
      );
    });
    const { matched, modified, upserted } = tally;
    return docOf({
      n: matched + upserted.length,
      nModified: modified,
      upserted: upserted.length > 0 ? upserted : undefined,
      writeErrors: errors.length > 0 ? errors : undefined,
    });
  },
};

function runUpdate(
  context: CommandContext,
  statement: Arguments,
  index: number,
  tally: Tally,
): void {
  const { args, readCollection: collection } = context;
  const multi = statement.boolean("multi");
  const query = queryOf(statement, "q", variablesOf(args, statement));
  const change = {
    update: compileUpdate(statement.required("u"), {
      arrayFilters: statement.optionalObjects("arrayFilters"),
      collation: query.collation,
      variables: query.variables,
    }),
    now: new Date(),
  };
  if (multi && change.update.kind === "replacement") {
    throw new CommandError(
      "FailedToParse",
      "multi update is not supported for replacement-style update",
    );
  }
  const limit = multi ? Number.POSITIVE_INFINITY : 1;
  const found = targets(context, collection, query, limit);

  if (found.records.length > 0) {
    let modified = 0;
    for (const record of found.records) {
      if (modify(collection, record, found.plan.filter, change).changed) {
        modified += 1;
      }
    }
    // A statement that fails in the middle counts nothing, though what it wrote stays.
    tally.matched += found.records.length;
    tally.modified += modified;
  } else if (statement.boolean("upsert")) {
    const doc = upsert(writableCollection(context), query.filter, change);
    tally.upserted.push(docOf({ index, _id: doc.get("_id") }));
  }
}

/** `let` of the command, and the constants `c` that a pipeline update may have of its own. */
function variablesOf(args: Arguments, statement: Arguments): Doc | undefined {
  const shared = letVariables(args);
  const own = letVariables(statement, "c");
  if (own === undefined) {
    return shared;
  }
  return new Map([...(shared ?? []), ...own]);
}
