import { CommandError } from "./error.ts";
import type { Doc } from "./value.ts";

export interface UpdateOptions {
  /** The document is the seed of an upsert: $setOnInsert applies, _id is generated if absent. */
  readonly isUpsertInsert: boolean;
  readonly arrayFilters: readonly Doc[];
  /** What `Filter.arrayIndexFor` said, for the positional `$`. */
  readonly matchedArrayIndex?: number | undefined;
  readonly now: Date;
}

export interface Update {
  /** The input document is left as it is. `changed` is false if the bytes would be the same. */
  apply(doc: Doc, options: UpdateOptions): { doc: Doc; changed: boolean };
  /** A replacement can't be used with multi. */
  readonly kind: "operators" | "replacement" | "pipeline";
  /** The positional `$` occurs, so `matchedArrayIndex` is needed. */
  readonly positional: boolean;
}

export function compileUpdate(_update: Doc | readonly Doc[]): Update {
  throw new CommandError("NotImplemented", "updates");
}

export function upsertSeed(_filter: Doc): Doc {
  throw new CommandError("NotImplemented", "updates");
}
