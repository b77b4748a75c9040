import { BSONRegExp } from "bson";
import { CommandError } from "../../query/error.ts";
import { type Doc, isDoc, isNullish, type Value } from "../../query/value.ts";
import { checkVariableName } from "../expression/logic.ts";
import type { Variables } from "../expression/operator.ts";
import { compileExpression, fieldPath, valueAtPath } from "../expression.ts";
import { leadingMatch } from "../leading-stages.ts";
import { collect, type Stage, type StageCompiler, type StageScope, streamOf } from "./stage.ts";
import { setPath } from "./unwind.ts";

const OPTIONS = new Set(["from", "as", "localField", "foreignField", "let", "pipeline"]);

interface Join {
  readonly from: string | undefined;
  readonly as: readonly string[];
  readonly localPath: readonly string[] | undefined;
  readonly foreignField: string | undefined;
  readonly variables: readonly (readonly [string, (doc: Doc) => Value | undefined])[];
  readonly pipeline: readonly Doc[];
}

/** Joins by equality of fields, by a pipeline with variables, or by both. */
export const lookup: StageCompiler = (spec, scope) => {
  const join = parse(spec, scope);
  // Compiled once to refuse what is wrong before documents come.
  scope.compilePipeline(join.pipeline, bound(join, new Map(), scope));
  const isUncorrelated = join.localPath === undefined && join.variables.length === 0;
  return async function* joined(input) {
    let shared: Doc[] | undefined;
    for await (const doc of input) {
      const found = shared ?? (await matchesFor(doc, join, scope));
      if (isUncorrelated) {
        shared = found;
      }
      yield setPath(doc, join.as, found);
    }
  };
};

function parse(spec: Value, scope: StageScope): Join {
  if (!isDoc(spec)) {
    throw new CommandError("FailedToParse", "the $lookup specification must be an Object");
  }
  for (const name of spec.keys()) {
    if (!OPTIONS.has(name)) {
      throw new CommandError("FailedToParse", `unknown argument to $lookup: ${name}`);
    }
  }
  const [from, as] = [text(spec, "from"), text(spec, "as")];
  const [localField, foreignField] = [text(spec, "localField"), text(spec, "foreignField")];
  const pipeline = spec.get("pipeline");
  const isSourceless = pipelineOf(pipeline)[0]?.has("$documents") === true;
  if (as === undefined) {
    throw new CommandError("FailedToParse", "must specify 'as' field for a $lookup");
  }
  if (from === undefined && !isSourceless) {
    throw new CommandError("FailedToParse", "must specify 'from' field for a $lookup");
  }
  if ((localField === undefined) !== (foreignField === undefined)) {
    throw new CommandError(
      "FailedToParse",
      "$lookup requires both or neither of 'localField' and 'foreignField' to be specified",
    );
  }
  if (localField === undefined && pipeline === undefined) {
    throw new CommandError(
      "FailedToParse",
      "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified",
    );
  }
  const variables = spec.get("let") ?? new Map<string, Value>();
  if (!isDoc(variables)) {
    throw new CommandError("FailedToParse", "$lookup argument 'let' must be an object");
  }
  return {
    from,
    as: fieldPath(as),
    localPath: localField === undefined ? undefined : fieldPath(localField),
    foreignField,
    pipeline: pipelineOf(pipeline),
    variables: [...variables].map(([name, value]) => {
      checkVariableName(name);
      return [name, compileExpression(value, scope)] as const;
    }),
  };
}

function text(spec: Doc, name: string): string | undefined {
  const value = spec.get(name);
  if (value === undefined || typeof value === "string") {
    return value;
  }
  throw new CommandError("FailedToParse", `$lookup argument '${name}' must be a string`);
}

/** The documents of a `pipeline` argument. */
export function pipelineOf(value: Value | undefined): Doc[] {
  if (value === undefined) {
    return [];
  }
  if (!Array.isArray(value) || !value.every(isDoc)) {
    throw new CommandError("TypeMismatch", "'pipeline' must be an array of objects");
  }
  return value;
}

function bound(join: Join, doc: Doc, scope: StageScope): Variables {
  const values = join.variables.map(([name, evaluate]) => [name, evaluate(doc)] as const);
  return new Map([...scope.variables, ...values]);
}

async function matchesFor(doc: Doc, join: Join, scope: StageScope): Promise<Doc[]> {
  const { filter, rest } = pushable(join.pipeline);
  const conditions = joinFilter(doc, join);
  if (filter.size > 0) {
    conditions.push(filter);
  }
  const whole = conditions.length > 1 ? new Map([["$and", conditions]]) : conditions[0];
  const source = join.from === undefined ? [] : scope.context.lookup(join.from, whole);
  const run: Stage = scope.compilePipeline(rest, bound(join, doc, scope));
  return collect(run(streamOf(source)));
}

/** A leading $match goes to the source, which can use an index, unless it needs the variables. */
function pushable(stages: readonly Doc[]): { filter: Doc; rest: readonly Doc[] } {
  const leading = leadingMatch(stages);
  return mentionsExpression(leading.filter) ? { filter: new Map(), rest: stages } : leading;
}

function mentionsExpression(value: Value): boolean {
  if (Array.isArray(value)) {
    return value.some(mentionsExpression);
  }
  return isDoc(value) && (value.has("$expr") || [...value.values()].some(mentionsExpression));
}

/** Each value of the local field, or each element if it is an array, may be the foreign one. */
function joinFilter(doc: Doc, { localPath, foreignField }: Join): Doc[] {
  if (localPath === undefined || foreignField === undefined) {
    return [];
  }
  const local = valueAtPath(doc, localPath, 0);
  const values = (Array.isArray(local) ? local : [local]).map((value) =>
    isNullish(value) ? null : value,
  );
  const equal = (value: Value): Doc => new Map([[foreignField, new Map([["$eq", value]])]]);
  const [only] = values;
  if (values.length === 1 && only !== undefined) {
    return [equal(only)];
  }
  if (!values.some((value) => value instanceof BSONRegExp)) {
    return [new Map([[foreignField, new Map([["$in", values]])]])];
  }
  return [new Map([["$or", values.map(equal)]])];
}
