import { compileExpression } from "../aggregate/expression.ts";
import type { Doc } from "../query/value.ts";
import type { Arguments } from "./arguments.ts";

/** A command's `let`: constant expressions, evaluated once. */
export function letVariables(args: Arguments, field = "let"): Doc | undefined {
  const given = args.optionalObject(field);
  if (given === undefined) {
    return undefined;
  }
  const variables: Doc = new Map();
  for (const [name, expression] of given) {
    variables.set(name, compileExpression(expression, { now: new Date() })(new Map()) ?? null);
  }
  return variables;
}
