import { CommandError } from "../bson/command-error.ts";
import { type Doc, isDoc, type Value } from "../bson/value.ts";
import type { FieldBounds } from "./bounds.ts";
import { canBeIndexed } from "./element-match.ts";
import { fieldPredicate } from "./field-predicate.ts";
import { holdsAt, type MatchDetails, type Predicate } from "./predicate.ts";

export type { FieldBounds } from "./bounds.ts";

export interface Filter {
  matches(doc: Doc): boolean;
  /** For the positional `$`: the position of the array element that matched. */
  arrayIndexFor(doc: Doc): number | undefined;
  /** The conjuncts at the top of the filter that an index can serve. */
  readonly bounds: readonly FieldBounds[];
}

interface Node {
  test(doc: Doc, details: MatchDetails | undefined): boolean;
  readonly bounds: readonly FieldBounds[];
}

/** The fields of a DBRef, which a filter may ask for by name. */
const referenceNames = new Set(["$ref", "$id", "$db"]);

/** Compiles a query filter. Everything unknown in it is refused, nothing is ignored. */
export function compileFilter(filter: Doc): Filter {
  return filterOf(compileNode(filter));
}

function filterOf(node: Node): Filter {
  return {
    matches: (doc) => node.test(doc, undefined),
    arrayIndexFor: (doc) => {
      const details: MatchDetails = { arrayIndex: undefined };
      return node.test(doc, details) ? details.arrayIndex : undefined;
    },
    bounds: node.bounds,
  };
}

function compileNode(filter: Doc): Node {
  const nodes: Node[] = [];
  for (const [name, spec] of filter) {
    const node =
      name.startsWith("$") && !referenceNames.has(name)
        ? topLevelOperator(name, spec)
        : fieldNode(name, spec);
    if (node !== undefined) {
      nodes.push(node);
    }
  }
  return conjunction(nodes);
}

function conjunction(nodes: readonly Node[]): Node {
  const [only] = nodes;
  if (only !== undefined && nodes.length === 1) {
    return only;
  }
  return {
    test: (doc, details) => nodes.every((node) => node.test(doc, details)),
    bounds: nodes.flatMap((node) => node.bounds),
  };
}

function topLevelOperator(name: string, spec: Value): Node | undefined {
  switch (name) {
    case "$and":
      return conjunction(clauses(name, spec));
    case "$or": {
      const nodes = clauses(name, spec);
      return unindexed((doc, details) => nodes.some((node) => node.test(doc, details)));
    }
    case "$nor": {
      const nodes = clauses(name, spec);
      return unindexed((doc) => !nodes.some((node) => node.test(doc, undefined)));
    }
    case "$comment":
      return undefined;
    case "$expr":
    case "$where":
    case "$text":
    case "$jsonSchema":
      throw new CommandError("NotImplemented", `${name} is not supported`);
    default:
      throw new CommandError(
        "BadValue",
        `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      );
  }
}

function unindexed(test: Node["test"]): Node {
  return { test, bounds: [] };
}

function clauses(name: string, spec: Value): Node[] {
  if (!Array.isArray(spec)) {
    throw new CommandError("BadValue", `${name} must be an array`);
  }
  if (spec.length === 0) {
    throw new CommandError("BadValue", "$and/$or/$nor must be a nonempty array");
  }
  return spec.map((clause) => {
    if (!isDoc(clause)) {
      throw new CommandError("BadValue", "$or/$and/$nor entries need to be full objects");
    }
    return compileNode(clause);
  });
}

function fieldNode(path: string, spec: Value): Node {
  const names = path.split(".");
  const predicate = fieldPredicate(spec, {
    path,
    compileFilter,
  });
  return {
    test: (doc, details) => holdsAt(predicate, doc, names, details),
    bounds: canBeIndexed(names) ? boundsOf(path, predicate) : [],
  };
}

function boundsOf(path: string, predicate: Predicate): FieldBounds[] {
  if (predicate.kind === "not") {
    return [];
  }
  if (predicate.kind === "all") {
    return predicate.parts.flatMap((part) => boundsOf(path, part));
  }
  const { bounds, nested = [] } = predicate;
  return bounds === undefined ? [...nested] : [{ path, ...bounds }, ...nested];
}
