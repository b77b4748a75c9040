import { CommandError } from "../bson/command-error.ts";
import { describe } from "../bson/describe.ts";
import { cloneDoc } from "../bson/document.ts";
import { type Doc, isDoc, typeName, type Value } from "../bson/value.ts";
import { addToSet, pop, pull, pullAll, push } from "./array-modifiers.ts";
import { inc, set, unset } from "./field-modifiers.ts";
import type { Modifier, ModifierCompiler, UpdateOptions } from "./modifier.ts";
import { comparePaths, PathTree } from "./path-tree.ts";
import { changeAt, concretePath, parseUpdatePath, refuseDollarField } from "./update-path.ts";

const modifiers: ReadonlyMap<string, ModifierCompiler> = new Map([
  ["$set", set],
  ["$setOnInsert", set],
  ["$unset", unset],
  ["$inc", inc],
  ["$push", push],
  ["$addToSet", addToSet],
  ["$pop", pop],
  ["$pull", pull],
  ["$pullAll", pullAll],
]);

/** MongoDB's other modifiers; each is refused by its name. */
const refusedModifiers = new Set(["$bit", "$currentDate", "$max", "$min", "$mul", "$rename"]);

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
export function compileOperators(update: Doc): OperatorUpdate {
  const tree = new PathTree();
  const steps: Change[] = [];
  for (const [operator, fields] of update) {
    const compile = modifierOf(operator);
    for (const [text, operand] of fieldsOf(operator, fields)) {
      const path = parseUpdatePath(text);
      tree.add(path);
      const onlyOnInsert = operator === "$setOnInsert";
      steps.push({ path, modifier: compile(operand, text), onlyOnInsert });
    }
  }
  steps.sort((a, b) => comparePaths(a.path, b.path));
  return {
    positional: steps.some(({ path }) => path.includes("$")),
    apply: (doc, options) => applySteps(doc, steps, options),
  };
}

function modifierOf(operator: string): ModifierCompiler {
  const compile = modifiers.get(operator);
  if (compile !== undefined) {
    return compile;
  }
  throw refusedModifiers.has(operator)
    ? new CommandError("NotImplemented", `the modifier ${operator} is not supported`)
    : new CommandError(
        "FailedToParse",
        `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
}

function fieldsOf(operator: string, fields: Value): Doc {
  if (isDoc(fields)) {
    return fields;
  }
  throw new CommandError(
    "FailedToParse",
    `Modifiers operate on fields but we found type ${typeName(fields)} instead. For example: {$mod: {<field>: ...}} not {${operator}: ${describe(fields)}}`,
  );
}

function applySteps(doc: Doc, steps: readonly Change[], options: UpdateOptions): Doc {
  const next = cloneDoc(doc);
  const id = doc.get("_id");
  // Two different paths can mean the same element once positions are filled in.
  const tree = steps.some(({ path }) => path.includes("$")) ? new PathTree() : undefined;
  for (const step of steps) {
    if (step.onlyOnInsert && !options.isUpsertInsert) {
      continue;
    }
    if (!options.isUpsertInsert) {
      refuseDollarField(step.path);
    }
    const path = concretePath(step.path, options.matchedArrayIndex);
    tree?.add(path);
    changeAt(next, path, step.modifier.way, (current) =>
      step.modifier.apply(current, { id, path }),
    );
  }
  return next;
}
