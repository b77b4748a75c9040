import { CommandError } from "../../query/error.ts";
import { type Doc, isDoc, type Value } from "../../query/value.ts";
import { compileExpression } from "../expression.ts";
import { leadingMatch } from "../leading-stages.ts";
import { pipelineOf } from "./lookup.ts";
import { type StageCompiler, streamOf } from "./stage.ts";

/** Appends the documents of another collection, after a pipeline of their own. */
export const unionWith: StageCompiler = (spec, scope) => {
  const { collection, stages } = parse(spec);
  const { filter, rest } = leadingMatch(stages);
  const run = scope.compilePipeline(rest, scope.variables);
  return async function* united(input) {
    yield* input;
    yield* run(streamOf(collection === undefined ? [] : scope.context.lookup(collection, filter)));
  };
};

function parse(spec: Value): { collection: string | undefined; stages: Doc[] } {
  if (typeof spec === "string") {
    return { collection: spec, stages: [] };
  }
  if (!isDoc(spec)) {
    throw new CommandError(
      "FailedToParse",
      "the $unionWith stage specification must be an object or string",
    );
  }
  for (const name of spec.keys()) {
    if (name !== "coll" && name !== "pipeline") {
      throw new CommandError(40415, `BSON field '$unionWith.${name}' is an unknown field.`);
    }
  }
  const collection = spec.get("coll");
  const stages = pipelineOf(spec.get("pipeline"));
  if (collection === undefined && !stages[0]?.has("$documents")) {
    throw new CommandError(
      "FailedToParse",
      "$unionWith needs 'coll' or a pipeline that begins with $documents",
    );
  }
  if (collection !== undefined && typeof collection !== "string") {
    throw new CommandError("TypeMismatch", "$unionWith argument 'coll' must be a string");
  }
  return { collection, stages };
}

/** Documents from an expression instead of a collection. */
export const documents: StageCompiler = (spec, scope) => {
  const evaluate = compileExpression(spec, scope);
  return async function* given() {
    const docs = evaluate(new Map());
    if (!Array.isArray(docs) || !docs.every(isDoc)) {
      throw new CommandError(5858203, "$documents must evaluate to an array of objects");
    }
    yield* docs;
  };
};
