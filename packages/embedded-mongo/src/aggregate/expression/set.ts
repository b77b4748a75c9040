import { type StringOrder, valuesEqual } from "../../query/compare.ts";
import { CommandError } from "../../query/error.ts";
import { encodeIndexKey } from "../../query/keys.ts";
import { isNullish, type Value } from "../../query/value.ts";
import { arrayOrNull } from "./array.ts";
import { binary, nary, type OperatorCompiler, typeOf } from "./operator.ts";

const many = Number.POSITIVE_INFINITY;

/** Values without repetition, in the order of their first occurrence. */
export class ValueSet {
  private readonly members = new Map<string, Value>();
  private readonly order: StringOrder | undefined;

  constructor(values: Iterable<Value> = [], order?: StringOrder) {
    this.order = order;
    for (const value of values) {
      this.add(value);
    }
  }

  add(value: Value): void {
    if (!this.has(value)) {
      this.members.set(keyOf(value), value);
    }
  }

  has(value: Value): boolean {
    if (this.order === undefined) {
      return this.members.has(keyOf(value));
    }
    const { order } = this;
    return this.values().some((member) => valuesEqual(member, value, order));
  }

  get size(): number {
    return this.members.size;
  }

  values(): Value[] {
    return [...this.members.values()];
  }
}

/** Equal values have equal index keys, so that a key stands for a value in maps and sets. */
export function keyOf(value: Value): string {
  return Buffer.from(encodeIndexKey([value], [1])).toString("latin1");
}

const union = nary(0, many, (values, { order }) => {
  const set = new ValueSet([], order);
  for (const value of values) {
    const array = arrayOrNull(value, 17043, "All operands of $setUnion must be arrays");
    if (array === null) {
      return null;
    }
    for (const item of array) {
      set.add(item);
    }
  }
  return set.values();
});

const intersection = nary(0, many, (values, { order }) => {
  let kept: Value[] | undefined;
  for (const value of values) {
    const array = arrayOrNull(value, 17047, "All operands of $setIntersection must be arrays");
    if (array === null) {
      return null;
    }
    const set = new ValueSet(array, order);
    kept = kept === undefined ? set.values() : kept.filter((item) => set.has(item));
  }
  return kept ?? [];
});

const difference = binary((a, b, { order }) => {
  if (isNullish(a) || isNullish(b)) {
    return null;
  }
  const message = "both operands of $setDifference must be arrays";
  const kept = new ValueSet(arrayOrNull(a, 17048, message) ?? [], order);
  const removed = new ValueSet(arrayOrNull(b, 17049, message) ?? [], order);
  return kept.values().filter((item) => !removed.has(item));
});

function requireArray(value: Value | undefined, code: number, name: string): Value[] {
  if (Array.isArray(value)) {
    return value;
  }
  throw new CommandError(code, `All operands of ${name} must be arrays. One is: ${typeOf(value)}`);
}

const equals = nary(2, many, (values, { order }) => {
  const sets = values.map((value) => new ValueSet(requireArray(value, 17044, "$setEquals"), order));
  const [first, ...others] = sets;
  return others.every(
    (set) => set.size === first?.size && first.values().every((item) => set.has(item)),
  );
});

const isSubset = binary((a, b, { order }) => {
  const inner = requireArray(a, 17046, "$setIsSubset");
  const outer = new ValueSet(requireArray(b, 17042, "$setIsSubset"), order);
  return inner.every((item) => outer.has(item));
});

export const sets: ReadonlyMap<string, OperatorCompiler> = new Map([
  ["$setUnion", union],
  ["$setIntersection", intersection],
  ["$setDifference", difference],
  ["$setEquals", equals],
  ["$setIsSubset", isSubset],
]);
