import { compileCollation } from "../collation.ts";
import { describe } from "../describe.ts";
import { cloneDoc } from "../document.ts";
import { CommandError } from "../error.ts";
import { type Doc, isDoc, typeName, type Value } from "../value.ts";
import { ArrayFilters } from "./array-filters.ts";
import { addToSet, pop, pull, pullAll, push } from "./array-modifiers.ts";
import { bit, currentDate, inc, max, min, mul, set, unset } from "./field-modifiers.ts";
import type { Modifier, ModifierCompiler, ModifierScope, UpdateOptions } from "./modifier.ts";
import { comparePaths, PathTree } from "./path-tree.ts";
import { compileRename, type Rename } from "./rename.ts";
import {
  arrayIdentifier,
  changeAt,
  expandPath,
  parseUpdatePath,
  refuseDollarField,
} from "./update-path.ts";

const MODIFIERS: ReadonlyMap<string, ModifierCompiler> = new Map([
  ["$set", set],
  ["$setOnInsert", set],
  ["$unset", unset],
  ["$inc", inc],
  ["$mul", mul],
  ["$min", min],
  ["$max", max],
  ["$currentDate", currentDate],
  ["$bit", bit],
  ["$push", push],
  ["$addToSet", addToSet],
  ["$pop", pop],
  ["$pull", pull],
  ["$pullAll", pullAll],
]);

interface Change {
  readonly path: readonly string[];
  readonly modifier: Modifier;
  readonly onlyOnInsert: boolean;
}

interface OperatorUpdate {
  readonly positional: boolean;
  readonly apply: (doc: Doc, options: UpdateOptions) => Doc;
}

/** Compiles `{ $set: …, $inc: … }`. Changes are applied in the order of their paths. */
export function compileOperators(
  update: Doc,
  arrayFilterSpecs: readonly Doc[],
  collation: Doc | undefined,
): OperatorUpdate {
  const filters = new ArrayFilters(arrayFilterSpecs, collation);
  const order = compileCollation(collation);
  const tree = new PathTree();
  const steps: (Change | Rename)[] = [];
  const identifiers = new Map<string, string>();

  const addPath = (text: string): string[] => {
    const path = parseUpdatePath(text);
    tree.add(path);
    for (const name of path) {
      const identifier = arrayIdentifier(name);
      if (identifier !== undefined) {
        identifiers.set(identifier, text);
      }
    }
    return path;
  };

  for (const [operator, fields] of update) {
    for (const [text, operand] of fieldsOf(operator, fields)) {
      if (operator === "$rename") {
        steps.push(compileRename(text, operand, addPath));
        continue;
      }
      const compile = MODIFIERS.get(operator);
      if (compile === undefined) {
        throw unknownModifier(operator);
      }
      const scope: ModifierScope = { path: text, order, collation };
      const path = addPath(text);
      const onlyOnInsert = operator === "$setOnInsert";
      steps.push({ path, modifier: compile(operand, scope), onlyOnInsert });
    }
  }
  filters.check(identifiers, update);
  steps.sort((a, b) => comparePaths(a.path, b.path));

  return {
    positional: steps.some(({ path }) => path.includes("$")),
    apply: (doc, options) => applySteps(doc, steps, filters, options),
  };
}

function fieldsOf(operator: string, fields: Value): Doc {
  if (operator !== "$rename" && !MODIFIERS.has(operator)) {
    throw unknownModifier(operator);
  }
  if (isDoc(fields)) {
    return fields;
  }
  throw new CommandError(
    "FailedToParse",
    `Modifiers operate on fields but we found type ${typeName(fields)} instead. For example: {$mod: {<field>: ...}} not {${operator}: ${describe(fields)}}`,
  );
}

function unknownModifier(operator: string): CommandError {
  return new CommandError(
    "FailedToParse",
    `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
  );
}

function applySteps(
  doc: Doc,
  steps: readonly (Change | Rename)[],
  filters: ArrayFilters,
  options: UpdateOptions,
): Doc {
  const next = cloneDoc(doc);
  const place = { id: doc.get("_id"), now: options.now };
  // Two different paths can mean the same element once positions are filled in.
  const tree = steps.some(({ path }) => path.some((name) => name.startsWith("$")))
    ? new PathTree()
    : undefined;
  for (const step of steps) {
    if ("rename" in step) {
      step.rename(next);
      continue;
    }
    if (step.onlyOnInsert && !options.isUpsertInsert) {
      continue;
    }
    if (!options.isUpsertInsert) {
      refuseDollarField(step.path);
    }
    for (const path of expandPath(next, step.path, options.matchedArrayIndex, filters)) {
      tree?.add(path);
      changeAt(next, path, step.modifier.way, (current) =>
        step.modifier.apply(current, { ...place, path }),
      );
    }
  }
  return next;
}
