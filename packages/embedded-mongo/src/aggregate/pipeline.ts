import { compileCollation } from "../query/collation.ts";
import { CommandError } from "../query/error.ts";
import type { Doc } from "../query/value.ts";
import type { Variables } from "./expression/operator.ts";
import { limitOf } from "./leading-stages.ts";
import { sortWithLimit } from "./stage/sort.ts";
import { type PipelineContext, type Stage, type StageScope, streamOf } from "./stage/stage.ts";
import { STAGES } from "./stage/stages.ts";

export { leadingMatch, leadingSort } from "./leading-stages.ts";
export type { PipelineContext } from "./stage/stage.ts";

/**
 * Runs an aggregation. The whole pipeline is compiled, and refused if anything in it is wrong or
 * unknown, before the first document is read.
 */
export function runPipeline(
  stages: readonly Doc[],
  source: AsyncIterable<Doc> | Iterable<Doc>,
  context: PipelineContext,
): AsyncIterable<Doc> {
  const run = compilePipeline(stages, scopeOf(context, context.variables ?? new Map()));
  return run(streamOf(source));
}

function scopeOf(context: PipelineContext, variables: Variables): StageScope {
  return {
    context,
    variables,
    now: context.now,
    collation: context.collation,
    order: compileCollation(context.collation),
    compilePipeline: (stages, inner) => compilePipeline(stages, scopeOf(context, inner)),
  };
}

function compilePipeline(stages: readonly Doc[], scope: StageScope): Stage {
  const compiled = stages.map((stage, i) => compileStage(stage, stages.slice(i + 1), i, scope));
  return (input) => compiled.reduce((stream, stage) => stage(stream), input);
}

function compileStage(
  stage: Doc,
  following: readonly Doc[],
  position: number,
  scope: StageScope,
): Stage {
  const [name, spec] = [...stage][0] ?? [];
  if (name === undefined || spec === undefined || stage.size !== 1) {
    throw new CommandError(
      40323,
      "A pipeline stage specification object must contain exactly one field.",
    );
  }
  if (name === "$documents" && position > 0) {
    throw new CommandError(40602, "$documents is only valid as the first stage in a pipeline");
  }
  if (name === "$sort") {
    return sortWithLimit(spec, scope, limitOf(following) ?? Infinity);
  }
  const compile = STAGES.get(name);
  if (compile === undefined) {
    throw new CommandError(40324, `Unrecognized pipeline stage name: '${name}'`);
  }
  return compile(spec, scope);
}
