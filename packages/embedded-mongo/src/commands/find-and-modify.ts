import { docOf } from "../query/document.ts";
import { CommandError } from "../query/error.ts";
import type { Filter } from "../query/match.ts";
import { compileProjection } from "../query/project.ts";
import { compileUpdate } from "../query/update.ts";
import type { Doc } from "../query/value.ts";
import type { Command, CommandContext } from "./command.ts";
import { writableCollection } from "./insert.ts";
import { modify, upsert } from "./modify.ts";
import { queryOf, targets } from "./target.ts";

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
    const outcome = await engine.write(() => (removes ? remove(context) : update(context)));
    const { value, n, updatedExisting, upserted, project } = outcome;
    return docOf({
      lastErrorObject: { n, updatedExisting, upserted: upserted?.get("_id") },
      value: value === undefined ? null : (project?.(value) ?? value),
    });
  },
};

function remove(context: CommandContext): Outcome {
  const collection = context.readCollection;
  const { plan, records } = targets(context, collection, queryOf(context.args, "query"), 1);
  const project = projectionOf(context, plan.filter);
  const [record] = records;
  if (record === undefined) {
    return { value: undefined, n: 0 };
  }
  collection.remove(record.rid, record.doc);
  return { value: record.doc, n: 1, ...project };
}

function update(context: CommandContext): Outcome {
  const { args, readCollection: collection } = context;
  const query = queryOf(args, "query");
  const change = {
    update: compileUpdate(args.required("update"), {
      arrayFilters: args.optionalObjects("arrayFilters"),
      collation: query.collation,
      variables: query.variables,
    }),
    now: new Date(),
  };
  const wantsNew = args.boolean("new");
  const fields = args.optionalObject("fields");
  if (wantsNew && fields && [...fields.keys()].some((path) => path.split(".").includes("$"))) {
    throw new CommandError(
      "BadValue",
      "Cannot use a positional projection and return the new document",
    );
  }
  const found = targets(context, collection, query, 1);
  const project = projectionOf(context, found.plan.filter);
  const [record] = found.records;
  if (record !== undefined) {
    const before = record.doc;
    const { doc } = modify(collection, record, found.plan.filter, change);
    return { value: wantsNew ? doc : before, n: 1, updatedExisting: true, ...project };
  }
  if (!args.boolean("upsert")) {
    return { value: undefined, n: 0, updatedExisting: false };
  }
  const doc = upsert(writableCollection(context), query.filter, change);
  return {
    value: wantsNew ? doc : undefined,
    n: 1,
    updatedExisting: false,
    upserted: doc,
    ...project,
  };
}

/** Compiled whether or not anything matches, so that a wrong one is always refused. */
function projectionOf({ args }: CommandContext, filter: Filter): Pick<Outcome, "project"> {
  const fields = args.optionalObject("fields");
  if (fields === undefined || fields.size === 0) {
    return {};
  }
  return { project: compileProjection(fields, { filter, now: new Date() }) };
}
