import { CommandError } from "../query/error.ts";
import { type Doc, isDoc, type Value } from "../query/value.ts";
import type { Variables } from "./expression/operator.ts";
import { DOCUMENT_STAGES } from "./stage/document-stages.ts";
import { STAGES } from "./stage/stages.ts";

/** Compiles an update given as a pipeline, of the stages that make one document of one. */
export function compileUpdatePipeline(
  stages: readonly Value[],
  context: { readonly variables?: Variables | undefined },
): (doc: Doc, now: Date) => Doc {
  // $$NOW is the same for all documents of a command, so that compiling once a command suffices.
  let compiledAt: Date | undefined;
  const compile = (now: Date | undefined) =>
    stages.map((stage) => transform(stage, { ...context, now }));
  let steps = compile(undefined);
  return (doc, now) => {
    if (now !== compiledAt) {
      steps = compile(now);
    }
    compiledAt = now;
    return steps.reduce((current, step) => step(current), doc);
  };
}

function transform(stage: Value, scope: Parameters<typeof compileStage>[2]): (doc: Doc) => Doc {
  const [name, spec] = isDoc(stage) && stage.size === 1 ? ([...stage][0] ?? []) : [];
  if (name === undefined || spec === undefined) {
    throw new CommandError(
      40323,
      "A pipeline stage specification object must contain exactly one field.",
    );
  }
  return compileStage(name, spec, scope);
}

function compileStage(
  name: string,
  spec: Value,
  scope: { readonly variables?: Variables | undefined; readonly now: Date | undefined },
): (doc: Doc) => Doc {
  const compiler = DOCUMENT_STAGES.get(name);
  if (compiler !== undefined) {
    return compiler(spec, scope, name);
  }
  throw STAGES.has(name)
    ? new CommandError("InvalidOptions", `${name} is not allowed to be used within an update`)
    : new CommandError(40324, `Unrecognized pipeline stage name: '${name}'`);
}
