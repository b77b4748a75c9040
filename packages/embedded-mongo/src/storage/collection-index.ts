import { createHash } from "node:crypto";
import { type Doc, isDoc, isNumeric, type Value } from "../bson/value.ts";
import { extractKeys } from "../keys/extract-keys.ts";
import { type Direction, encodeIndexKey } from "../keys/index-key.ts";
import { compileFilter, type Filter } from "../match/compile-filter.ts";
import type { KeyBudget } from "./key-budget.ts";
import { idPrefix } from "./record-key.ts";

/** Longer keys are cut here and end in a hash of the whole: the store takes 1,978 bytes at most. */
export const maxKeyBytes = 900;
const longFrom = maxKeyBytes + 4;

export interface IndexState {
  id: number;
  spec: Doc;
  /** For each path, whether a document had an array on it. Never goes back to false. */
  multikey: boolean[];
  /** Some key was cut, so the order of the entries is not the order of the values. */
  longKeys: boolean;
}

export interface IndexKey {
  /** The entry's key in the store, without a record id. */
  bytes: Buffer;
  values: readonly Value[];
}

export class CollectionIndex {
  readonly state: IndexState;
  readonly name: string;
  readonly keyPattern: Doc;
  readonly paths: readonly string[];
  readonly directions: readonly Direction[];
  readonly unique: boolean;
  readonly sparse: boolean;
  readonly partial: Filter | undefined;
  readonly expireAfterSeconds: number | undefined;
  readonly #prefix: Buffer;

  constructor(state: IndexState) {
    const { spec } = state;
    const keyPattern = spec.get("key");
    const name = spec.get("name");
    if (!isDoc(keyPattern) || typeof name !== "string") {
      throw new Error("an index without a key or a name in the catalog");
    }
    this.state = state;
    this.#prefix = idPrefix(state.id);
    this.name = name;
    this.keyPattern = keyPattern;
    this.paths = [...keyPattern.keys()];
    this.directions = [...keyPattern.values()].map((value) => (Number(value) < 0 ? -1 : 1));
    this.unique = this.name === "_id_" || spec.get("unique") === true;
    this.sparse = spec.get("sparse") === true;
    const partial = spec.get("partialFilterExpression");
    this.partial = isDoc(partial) ? compileFilter(partial) : undefined;
    const expiry = spec.get("expireAfterSeconds");
    this.expireAfterSeconds = isNumeric(expiry) ? Number(expiry) : undefined;
  }

  /** The entries of a document, by their bytes. */
  keysOf(doc: Doc, budget?: KeyBudget): Map<string, IndexKey> {
    const keys = new Map<string, IndexKey>();
    if (this.partial !== undefined && !this.partial.matches(doc)) {
      return keys;
    }
    const options = { sparse: this.sparse, max: budget?.keys };
    for (const values of extractKeys(doc, this.paths, options)) {
      const bytes = this.keyOf(values);
      budget?.take(bytes.length);
      keys.set(bytes.toString("latin1"), { bytes, values });
    }
    return keys;
  }

  /** The key of these values in the store, without a record id. */
  keyOf(values: readonly Value[]): Buffer {
    return Buffer.concat([this.#prefix, shorten(encodeIndexKey(values, this.directions))]);
  }

  /** Notes what these keys of a document tell of the index. If that is new: how to forget it. */
  learn(doc: Doc, keys: Map<string, IndexKey>): (() => void) | undefined {
    if (keys.size === 0) {
      return undefined;
    }
    const { multikey, longKeys } = this.state;
    const nowMultikey = this.paths.map((path, i) => multikey[i] === true || meetsArray(doc, path));
    const nowLong = longKeys || [...keys.values()].some(({ bytes }) => bytes.length > longFrom);
    const known = nowLong === longKeys && nowMultikey.every((flag, i) => flag === multikey[i]);
    if (known) {
      return undefined;
    }
    this.state.multikey = nowMultikey;
    this.state.longKeys = nowLong;
    return () => {
      this.state.multikey = multikey;
      this.state.longKeys = longKeys;
    };
  }
}

function shorten(key: Uint8Array): Uint8Array {
  if (key.length <= maxKeyBytes) {
    return key;
  }
  const hash = createHash("sha256").update(key).digest();
  return Buffer.concat([key.subarray(0, maxKeyBytes), hash]);
}

function meetsArray(doc: Doc, path: string): boolean {
  let value: Value | undefined = doc;
  for (const name of path.split(".")) {
    if (!isDoc(value)) {
      return Array.isArray(value);
    }
    value = value.get(name);
  }
  return Array.isArray(value);
}
