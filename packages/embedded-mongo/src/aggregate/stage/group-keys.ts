import { type StringOrder, valuesEqual } from "../../query/compare.ts";
import type { Value } from "../../query/value.ts";
import { keyOf } from "../expression/set.ts";

/** A map by value: numbers of different types that are equal are one key. */
export class GroupKeys<State> {
  private readonly groups = new Map<string, [Value, State]>();
  private readonly order: StringOrder | undefined;

  constructor(order: StringOrder | undefined) {
    this.order = order;
  }

  getOrAdd(key: Value, start: () => State): State {
    const text = keyOf(key);
    const existing = this.groups.get(text) ?? this.collated(key);
    if (existing) {
      return existing[1];
    }
    const state = start();
    this.groups.set(text, [key, state]);
    return state;
  }

  entries(): Iterable<[Value, State]> {
    return this.groups.values();
  }

  private collated(key: Value): [Value, State] | undefined {
    const { order } = this;
    if (order === undefined) {
      return undefined;
    }
    for (const entry of this.groups.values()) {
      if (valuesEqual(entry[0], key, order)) {
        return entry;
      }
    }
    return undefined;
  }
}
