import { CommandError } from "../../query/error.ts";
import { type Doc, isDoc } from "../../query/value.ts";
import { pipelineOf } from "./lookup.ts";
import { collect, type StageCompiler, streamOf } from "./stage.ts";

const FORBIDDEN = new Set(["$facet", "$documents", "$geoNear", "$out", "$merge", "$collStats"]);

/** Runs several pipelines over the same documents; gives one document with all results. */
export const facet: StageCompiler = (spec, scope) => {
  if (!isDoc(spec) || spec.size === 0) {
    throw new CommandError(40169, "the $facet specification must be a non-empty object");
  }
  const facets = [...spec].map(([name, value]) => {
    const stages = pipelineOf(value);
    for (const stage of stages) {
      const [operator = ""] = stage.keys();
      if (FORBIDDEN.has(operator)) {
        throw new CommandError(
          40600,
          `${operator} is not allowed to be used within a $facet stage`,
        );
      }
    }
    return [name, scope.compilePipeline(stages, scope.variables)] as const;
  });
  return async function* faceted(input) {
    const docs = await collect(input);
    const result: Doc = new Map();
    for (const [name, run] of facets) {
      result.set(name, await collect(run(streamOf(docs))));
    }
    yield result;
  };
};
