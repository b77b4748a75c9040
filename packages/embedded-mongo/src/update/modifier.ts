import type { Value } from "../bson/value.ts";
import type { changeAt } from "./update-path.ts";

export interface UpdateOptions {
  /** The document is the seed of an upsert: $setOnInsert applies, _id is made if there is none. */
  readonly isUpsertInsert: boolean;
  /** What `Filter.arrayIndexFor` said, for the positional `$`. */
  readonly matchedArrayIndex?: number | undefined;
}

/** Where a modifier is applied, for its result and its messages. */
export interface Place {
  readonly path: readonly string[];
  readonly id: Value | undefined;
}

/** An operator with its operand, ready to be applied to the value at a path. */
export interface Modifier {
  /** What becomes of a path that is missing or blocked, see `changeAt`. */
  readonly way: Parameters<typeof changeAt>[2];
  /** The new value; undefined for no field. */
  apply(current: Value | undefined, place: Place): Value | undefined;
}

/** Takes the operand and the path, for its messages. */
export type ModifierCompiler = (operand: Value, path: string) => Modifier;

export function fieldName(place: Place): string {
  return place.path.at(-1) ?? "";
}
