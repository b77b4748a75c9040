import { CommandError } from "../../bson/command-error.ts";
import { docOf } from "../../bson/document.ts";
import type { Doc } from "../../bson/value.ts";
import { compileUpdate } from "../../update/compile-update.ts";
import type { Arguments } from "../arguments.ts";
import type { Command, CommandContext } from "../command.ts";
import { queryOf } from "../query-of.ts";
import type { Change } from "./apply-now.ts";
import { writableCollection } from "./insert.ts";
import { modify, upsert } from "./modify.ts";
import { checkBatch, runStatements } from "./run-statements.ts";
import { statementsOf } from "./statements.ts";

const optionalFields = [
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
    const { args } = context;
    args.refuse("let", "variables are not supported");
    const statements = statementsOf(context, "updates", ["q", "u"], optionalFields);
    checkBatch(statements.length);
    const tally: Tally = { matched: 0, modified: 0, upserted: [] };
    const errors = await runStatements(context, statements, (statement, index) =>
      updating(context, statement, index, tally),
    );
    const { matched, modified, upserted } = tally;
    return docOf({
      n: matched + upserted.length,
      nModified: modified,
      upserted: upserted.length > 0 ? upserted : undefined,
      writeErrors: errors.length > 0 ? errors : undefined,
    });
  },
};

function updating(
  context: CommandContext,
  statement: Arguments,
  index: number,
  tally: Tally,
): Change {
  const multi = statement.boolean("multi");
  const query = queryOf(statement, "q");
  const changes = compileUpdate(statement.required("u"));
  if (multi && changes.kind === "replacement") {
    throw new CommandError(
      "FailedToParse",
      "multi update is not supported for replacement-style update",
    );
  }
  const upserts = statement.boolean("upsert");
  // A statement that fails in the middle counts nothing, though what it wrote stays.
  let matched = 0;
  let modified = 0;
  statement.refuse("c", "variables are not supported");
  refuseArrayFilters(statement);
  return {
    query,
    limit: multi ? Number.POSITIVE_INFINITY : 1,
    each: (collection, record, { filter }) => {
      const { changed } = modify(collection, record, filter, changes);
      matched += 1;
      modified += changed ? 1 : 0;
    },
    done: () => {
      tally.matched += matched;
      tally.modified += modified;
    },
    none: () => {
      if (upserts) {
        const doc = upsert(writableCollection(context), query.filter, changes);
        tally.upserted.push(docOf({ index, _id: doc.get("_id") }));
      }
    },
  };
}

/** What would change elements by a condition; an empty list asks for nothing. */
export function refuseArrayFilters(args: Arguments): void {
  if (args.optionalObjects("arrayFilters").length > 0) {
    args.refuse("arrayFilters", "this option is not supported");
  }
}
