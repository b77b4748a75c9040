import { docOf } from "../query/document.ts";
import { CommandError } from "../query/error.ts";
import { compileUpdate } from "../query/update.ts";
import type { Doc } from "../query/value.ts";
import type { Change } from "./apply-change.ts";
import type { Arguments } from "./arguments.ts";
import type { Command, CommandContext } from "./command.ts";
import { writableCollection } from "./insert.ts";
import { letVariables } from "./let-variables.ts";
import { modify, upsert } from "./modify.ts";
import { statementsOf } from "./statements.ts";
import { queryOf } from "./target.ts";
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
    const statements = statementsOf(context, "updates", ["q", "u"], OPTIONAL_FIELDS);
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
  const query = queryOf(statement, "q", variablesOf(context.args, statement));
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
  const upserts = statement.boolean("upsert");
  // A statement that fails in the middle counts nothing, though what it wrote stays.
  let matched = 0;
  let modified = 0;
  return {
    query,
    limit: multi ? Number.POSITIVE_INFINITY : 1,
    each: (collection, record, { filter }) => {
      const { changed } = modify(collection, record, filter, change);
      matched += 1;
      modified += changed ? 1 : 0;
    },
    done: () => {
      tally.matched += matched;
      tally.modified += modified;
    },
    none: () => {
      if (upserts) {
        const doc = upsert(writableCollection(context), query.filter, change);
        tally.upserted.push(docOf({ index, _id: doc.get("_id") }));
      }
    },
  };
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
