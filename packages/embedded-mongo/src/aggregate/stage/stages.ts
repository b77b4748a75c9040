import { CommandError } from "../../query/error.ts";
import { bucket, sortByCount } from "./bucket.ts";
import { bucketAuto } from "./bucket-auto.ts";
import { DOCUMENT_STAGES } from "./document-stages.ts";
import { facet } from "./facet.ts";
import { graphLookup } from "./graph-lookup.ts";
import { group } from "./group.ts";
import { lookup } from "./lookup.ts";
import { count, limit, match, sample, skip } from "./simple-stages.ts";
import { sort } from "./sort.ts";
import { mapping, type StageCompiler } from "./stage.ts";
import { documents, unionWith } from "./union-with.ts";
import { unwind } from "./unwind.ts";

/** MongoDB's stages that this server does not have; each is refused by its name. */
const REFUSED = [
  "$changeStream",
  "$changeStreamSplitLargeEvent",
  "$collStats",
  "$currentOp",
  "$densify",
  "$fill",
  "$geoNear",
  "$indexStats",
  "$listLocalSessions",
  "$listSampledQueries",
  "$listSearchIndexes",
  "$listSessions",
  "$merge",
  "$out",
  "$planCacheStats",
  "$querySettings",
  "$queryStats",
  "$rankFusion",
  "$redact",
  "$score",
  "$search",
  "$searchMeta",
  "$setWindowFields",
  "$shardedDataDistribution",
  "$vectorSearch",
];

function refused(name: string): StageCompiler {
  return () => {
    throw new CommandError("CommandNotSupported", `the aggregation stage ${name} is not supported`);
  };
}

/** Every stage by its name; what is not here does not exist in MongoDB either. */
export const STAGES: ReadonlyMap<string, StageCompiler> = new Map([
  ...[...DOCUMENT_STAGES].map(([name, compile]): [string, StageCompiler] => [
    name,
    (spec, scope) => mapping(compile(spec, scope, name)),
  ]),
  ...REFUSED.map((name): [string, StageCompiler] => [name, refused(name)]),
  ["$match", match],
  ["$limit", limit],
  ["$skip", skip],
  ["$sort", sort],
  ["$count", count],
  ["$sample", sample],
  ["$group", group],
  ["$bucket", bucket],
  ["$bucketAuto", bucketAuto],
  ["$sortByCount", sortByCount],
  ["$unwind", unwind],
  ["$lookup", lookup],
  ["$graphLookup", graphLookup],
  ["$facet", facet],
  ["$unionWith", unionWith],
  ["$documents", documents],
]);
