import { describe } from "../../query/describe.ts";
import { CommandError } from "../../query/error.ts";
import { compileFields, isExpression } from "../../query/projection/projection-spec.ts";
import {
  addField,
  excludeFields,
  type Fields,
  overlayFields,
} from "../../query/projection/projection-tree.ts";
import { type Doc, isDoc, type Value } from "../../query/value.ts";
import { typeOf } from "../expression/operator.ts";
import { compileExpression, type ExpressionScope } from "../expression.ts";

type Transform = (doc: Doc) => Doc;
type TransformCompiler = (spec: Value, scope: ExpressionScope, name: string) => Transform;

const project: TransformCompiler = (spec, scope) => {
  if (!isDoc(spec)) {
    throw new CommandError(15969, "$project specification must be an object");
  }
  if (spec.size === 0) {
    throw new CommandError(
      51272,
      "Invalid $project :: caused by :: projection specification must have at least one field",
    );
  }
  return compileFields(spec, scope);
};

const addFields: TransformCompiler = (spec, scope, name) => {
  if (!isDoc(spec)) {
    throw new CommandError(
      40272,
      `${name} specification stage must be an object, got ${typeOf(spec)}`,
    );
  }
  const fields: Fields = new Map();
  collectComputed(spec, "", fields, scope);
  return (doc) => overlayFields(doc, fields, doc);
};

function collectComputed(spec: Doc, prefix: string, fields: Fields, scope: ExpressionScope): void {
  for (const [name, value] of spec) {
    const path = prefix + name;
    if (isDoc(value) && value.size > 0 && !isExpression(value)) {
      collectComputed(value, `${path}.`, fields, scope);
    } else {
      addField(fields, path, { kind: "compute", evaluate: compileExpression(value, scope) });
    }
  }
}

const unset: TransformCompiler = (spec) => {
  const paths = Array.isArray(spec) ? spec : [spec];
  if (paths.length === 0) {
    throw new CommandError(
      31119,
      "$unset specification must be a string or an array with at least one field",
    );
  }
  const fields: Fields = new Map();
  for (const path of paths) {
    if (typeof path !== "string") {
      throw new CommandError(
        31120,
        "$unset specification must be a string or an array containing only string values",
      );
    }
    addField(fields, path, { kind: "exclude" });
  }
  return (doc) => excludeFields(doc, fields);
};

const replaceWith: TransformCompiler = (spec, scope, name) => {
  const evaluate = compileExpression(spec, scope);
  return (doc) => {
    const root = evaluate(doc);
    if (isDoc(root)) {
      return root;
    }
    const subject = name === "$replaceRoot" ? "'newRoot' expression" : "'replacement document'";
    throw new CommandError(
      40228,
      `${subject} must evaluate to an object, but resulting value was: ${describe(root)}. Type of resulting value: '${typeOf(root)}'.`,
    );
  };
};

const replaceRoot: TransformCompiler = (spec, scope, name) => {
  if (!isDoc(spec)) {
    throw new CommandError(
      40229,
      `expected an object as specification for $replaceRoot stage, got ${typeOf(spec)}`,
    );
  }
  for (const key of spec.keys()) {
    if (key !== "newRoot") {
      throw new CommandError(40415, `BSON field '$replaceRoot.${key}' is an unknown field.`);
    }
  }
  const root = spec.get("newRoot");
  if (root === undefined) {
    throw new CommandError(40231, "no newRoot specified for the $replaceRoot stage");
  }
  return replaceWith(root, scope, name);
};

/** The stages that make one document of one, which updates may use too. */
export const DOCUMENT_STAGES: ReadonlyMap<string, TransformCompiler> = new Map([
  ["$project", project],
  ["$addFields", addFields],
  ["$set", addFields],
  ["$unset", unset],
  ["$replaceRoot", replaceRoot],
  ["$replaceWith", replaceWith],
]);
