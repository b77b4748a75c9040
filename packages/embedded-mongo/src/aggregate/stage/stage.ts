import type { StringOrder } from "../../query/compare.ts";
import type { Doc, Value } from "../../query/value.ts";
import type { Variables } from "../expression/operator.ts";

export type Stream = AsyncIterable<Doc>;

/** A compiled stage: documents in, documents out. */
export type Stage = (input: Stream) => Stream;

/** What a command gives its pipeline. */
export interface PipelineContext {
  /**
   * The documents of another collection of the same database that match the filter; all of them
   * without one.
   */
  lookup(collection: string, filter?: Doc): AsyncIterable<Doc> | Iterable<Doc>;
  readonly now: Date;
  readonly allowDiskUse?: boolean;
  readonly collation?: Doc;
  /** The command's `let`. */
  readonly variables?: Variables;
}

export interface StageScope {
  readonly context: PipelineContext;
  readonly now: Date;
  readonly collation: Doc | undefined;
  readonly order: StringOrder | undefined;
  readonly variables: Variables;
  /** Compiles the pipeline within a stage, with further variables. */
  compilePipeline(stages: readonly Doc[], variables: Variables): Stage;
}

export type StageCompiler = (spec: Value, scope: StageScope) => Stage;

/** A stage that makes one document of each. */
export function mapping(transform: (doc: Doc) => Doc): Stage {
  return async function* mapped(input) {
    for await (const doc of input) {
      yield transform(doc);
    }
  };
}

export async function collect(input: Stream): Promise<Doc[]> {
  const docs: Doc[] = [];
  for await (const doc of input) {
    docs.push(doc);
  }
  return docs;
}

export async function* streamOf(docs: AsyncIterable<Doc> | Iterable<Doc>): Stream {
  yield* docs;
}
