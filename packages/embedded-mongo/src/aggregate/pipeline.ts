import { CommandError } from "../query/error.ts";
import type { Doc } from "../query/value.ts";

export interface PipelineContext {
  /**
   * The documents of another collection of the same database. `filter` may be used to narrow the
   * scan with an index; the pipeline filters again.
   */
  lookup(collection: string, filter?: Doc): AsyncIterable<Doc> | Iterable<Doc>;
  readonly now: Date;
  readonly allowDiskUse?: boolean;
  readonly collation?: Doc;
  /** The command's `let`. */
  readonly variables?: Doc;
}

export function runPipeline(
  _stages: readonly Doc[],
  _source: AsyncIterable<Doc> | Iterable<Doc>,
  _ctx: PipelineContext,
): AsyncIterable<Doc> {
  throw new CommandError("NotImplemented", "pipelines");
}

/** The filter of the $match stages that a pipeline begins with, and the stages after them. */
export function leadingMatch(stages: readonly Doc[]): { filter: Doc; rest: readonly Doc[] } {
  return { filter: new Map(), rest: stages };
}

/** The $sort that a pipeline (after its leading $match) begins with, and a limit known from the next. */
export function leadingSort(stages: readonly Doc[]): {
  sort?: Doc;
  limit?: number;
  rest: readonly Doc[];
} {
  return { rest: stages };
}
