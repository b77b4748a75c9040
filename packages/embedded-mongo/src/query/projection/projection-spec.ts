import { compileExpression, type ExpressionScope } from "../../aggregate/expression.ts";
import { CommandError } from "../error.ts";
import { isTruthy } from "../match/field-operators.ts";
import { type Doc, isDoc, isNumeric, type Value } from "../value.ts";
import {
  addField,
  excludeFields,
  type Field,
  type Fields,
  includeFields,
} from "./projection-tree.ts";

/** An operator of find's projections; it takes the path and says what becomes of the field. */
export type ProjectionOperator = (path: string, spec: Doc) => Field | undefined;

interface Parsed {
  readonly fields: Fields;
  readonly included: string[];
  readonly excluded: string[];
  readonly computed: string[];
}

/**
 * Compiles a projection: inclusion or exclusion, but not both, save for _id. `operator` gives the
 * meaning of the operators that only find knows; other documents with `$` are expressions.
 */
export function compileFields(
  spec: Doc,
  scope: ExpressionScope,
  operator: ProjectionOperator = () => undefined,
): (doc: Doc) => Doc {
  const parsed: Parsed = { fields: new Map(), included: [], excluded: [], computed: [] };
  collect(spec, "", parsed, scope, operator);
  const { fields, included, excluded, computed } = parsed;
  const idSpec = fields.get("_id");
  const others = (paths: readonly string[]): string[] => paths.filter((path) => path !== "_id");
  const [firstIncluded] = others(included);
  const [firstExcluded] = others(excluded);
  const inclusive =
    firstIncluded !== undefined ||
    computed.length > 0 ||
    (firstExcluded === undefined && idSpec?.kind === "include");
  if (inclusive && firstExcluded !== undefined) {
    const first = [...included, ...computed][0] ?? "";
    const excludedFirst = firstPosition(spec, firstExcluded) < firstPosition(spec, first);
    throw excludedFirst && firstIncluded !== undefined
      ? new CommandError(
          31253,
          `Cannot do inclusion on field ${firstIncluded} in exclusion projection`,
        )
      : new CommandError(
          31254,
          `Cannot do exclusion on field ${firstExcluded} in inclusion projection`,
        );
  }
  if (!inclusive) {
    if (idSpec?.kind === "include") {
      fields.delete("_id");
    }
    return (doc) => excludeFields(doc, fields);
  }
  if (idSpec === undefined) {
    fields.set("_id", { kind: "include" });
  }
  return (doc) => includeFields(doc, fields, doc);
}

function firstPosition(spec: Doc, path: string): number {
  return [...spec.keys()].findIndex((key) => path === key || path.startsWith(`${key}.`));
}

function collect(
  spec: Doc,
  prefix: string,
  parsed: Parsed,
  scope: ExpressionScope,
  operator: ProjectionOperator,
): void {
  for (const [name, value] of spec) {
    const path = prefix + name;
    if (isDoc(value) && !isExpression(value)) {
      if (value.size === 0) {
        throw new CommandError(
          51270,
          `An empty sub-projection is not a valid value. Found empty object at path`,
        );
      }
      collect(value, `${path}.`, parsed, scope, operator);
      continue;
    }
    const field = fieldOf(path, value, scope, operator);
    addField(parsed.fields, path, field);
    if (field.kind === "include") {
      parsed.included.push(path);
    } else if (field.kind === "exclude") {
      parsed.excluded.push(path);
    } else {
      parsed.computed.push(path);
    }
  }
}

function fieldOf(
  path: string,
  value: Value,
  scope: ExpressionScope,
  operator: ProjectionOperator,
): Field {
  if (typeof value === "boolean" || isNumeric(value)) {
    return { kind: isTruthy(value) ? "include" : "exclude" };
  }
  const special = isDoc(value) ? operator(path, value) : undefined;
  return special ?? { kind: "compute", evaluate: compileExpression(value, scope) };
}

export function isExpression(spec: Doc): boolean {
  const [first] = spec.keys();
  return first?.startsWith("$") === true;
}
