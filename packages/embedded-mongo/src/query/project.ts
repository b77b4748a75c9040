import { CommandError } from "./error.ts";
import type { Filter } from "./match.ts";
import type { Doc } from "./value.ts";

/** Compiles a find projection; `filter` is the query's, for the positional `$`. */
export function compileProjection(
  _spec: Doc,
  _options: { readonly filter?: Filter; readonly now?: Date } = {},
): (doc: Doc) => Doc {
  throw new CommandError("NotImplemented", "projections");
}
