import { CommandError } from "../query/error.ts";
import type { Doc, Value } from "../query/value.ts";
export function compileUpdatePipeline(
  _stages: readonly Value[],
  _context: { readonly variables?: Doc | undefined },
): (doc: Doc, now: Date) => Doc {
  throw new CommandError("NotImplemented", "pipeline");
}
