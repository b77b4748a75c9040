import { CommandError } from "../../bson/command-error.ts";
import { docOf } from "../../bson/document.ts";
import type { Doc } from "../../bson/value.ts";
import { compileProjection } from "../../project/compile-projection.ts";
import { compileUpdate } from "../../update/compile-update.ts";
import type { Command, CommandContext } from "../command.ts";
import { queryOf } from "../query-of.ts";
import { applyNow, applySlowly, type Change } from "./apply-now.ts";
import { writableCollection } from "./insert.ts";
import { modify, upsert } from "./modify.ts";
import { refuseArrayFilters } from "./update.ts";

interface Outcome {
  value: Doc | undefined;
  n: number;
  updatedExisting?: boolean;
  upserted?: Doc;
  project?: (doc: Doc) => Doc;
}

export const findAndModify: Command = {
  fields: [
    "query",
    "sort",
    "remove",
    "update",
    "new",
    "fields",
    "upsert",
    "arrayFilters",
    "hint",
    "collation",
    "let",
    "bypassDocumentValidation",
  ],
  run: async (context) => {
    const { engine, args } = context;
    const removes = args.boolean("remove");
    if (removes && args.has("update")) {
      throw new CommandError("FailedToParse", "Cannot specify both an update and remove=true");
    }
    if (!removes && !args.has("update")) {
      throw new CommandError("FailedToParse", "Either an update or remove=true must be specified");
    }
    if (removes && (args.boolean("upsert") || args.boolean("new"))) {
      throw new CommandError(
        "FailedToParse",
        `Cannot specify both ${args.boolean("upsert") ? "upsert" : "new"}=true and remove=true`,
      );
    }
    const outcome: Outcome = { value: undefined, n: 0 };
    const change = removes ? removal(context, outcome) : updating(context, outcome);
    const isDone = await engine.write(() => applyNow(context, change));
    if (!isDone) {
      await applySlowly(context, change);
    }
    const { value, n, updatedExisting, upserted, project } = outcome;
    return docOf({
      lastErrorObject: { n, updatedExisting, upserted: upserted?.get("_id") },
      value: value === undefined ? null : (project?.(value) ?? value),
    });
  },
};

function removal(context: CommandContext, outcome: Outcome): Change {
  const query = queryOf(context.args, "query");
  const project = projectionOf(context);
  return {
    query,
    limit: 1,
    each: (collection, { rid, doc }) => {
      collection.remove(rid, doc);
      Object.assign(outcome, { value: doc, n: 1, project });
    },
  };
}

function updating(context: CommandContext, outcome: Outcome): Change {
  const { args } = context;
  const query = queryOf(args, "query");
  const changes = compileUpdate(args.required("update"));
  refuseArrayFilters(args);
  const wantsNew = args.boolean("new");
  const upserts = args.boolean("upsert");
  const project = projectionOf(context);
  outcome.updatedExisting = false;
  return {
    query,
    limit: 1,
    each: (collection, record, { filter }) => {
      const before = record.doc;
      const { doc } = modify(collection, record, filter, changes);
      const value = wantsNew ? doc : before;
      Object.assign(outcome, { value, n: 1, updatedExisting: true, project });
    },
    none: () => {
      if (upserts) {
        const doc = upsert(writableCollection(context), query.filter, changes);
        Object.assign(outcome, { value: wantsNew ? doc : undefined, n: 1, upserted: doc, project });
      }
    },
  };
}

/** Compiled whether or not anything matches, so that a wrong one is always refused. */
function projectionOf({ args }: CommandContext): Outcome["project"] {
  return compileProjection(args.optionalObject("fields") ?? new Map());
}
