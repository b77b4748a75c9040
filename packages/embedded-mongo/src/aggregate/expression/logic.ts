import { Int32 } from "bson";
import { compareValues } from "../../query/compare.ts";
import { CommandError } from "../../query/error.ts";
import { isTruthy } from "../../query/match/field-operators.ts";
import { isDoc, isNullish, type Value } from "../../query/value.ts";
import {
  binary,
  bind,
  type Evaluate,
  missing,
  named,
  namedOperands,
  type OperatorCompiler,
  operands,
  unary,
} from "./operator.ts";

function comparison(holds: (order: number) => boolean): OperatorCompiler {
  return binary((a, b, { order }) => holds(compareValues(a, b, order)));
}

const every: OperatorCompiler = (operand, compiler, name) => {
  const all = operands(operand, compiler, name, 0, Number.POSITIVE_INFINITY);
  return (env) => all.every((evaluate) => isTruthy(evaluate(env)));
};

const some: OperatorCompiler = (operand, compiler, name) => {
  const all = operands(operand, compiler, name, 0, Number.POSITIVE_INFINITY);
  return (env) => all.some((evaluate) => isTruthy(evaluate(env)));
};

const condition: OperatorCompiler = (operand, compiler, name) => {
  const parts = isDoc(operand) ? conditionFields(operand) : operand;
  const [test = missing, yes = missing, no = missing] = operands(parts, compiler, name, 3, 3);
  return (env) => (isTruthy(test(env)) ? yes(env) : no(env));
};

function conditionFields(operand: ReadonlyMap<string, Value>): Value[] {
  for (const key of operand.keys()) {
    if (!["if", "then", "else"].includes(key)) {
      throw new CommandError(17083, `Unrecognized parameter to $cond: ${key}`);
    }
  }
  return ["if", "then", "else"].map((key, i) => {
    const value = operand.get(key);
    if (value === undefined) {
      throw new CommandError(17080 + i, `Missing '${key}' parameter to $cond`);
    }
    return value;
  });
}

const ifNull: OperatorCompiler = (operand, compiler, name) => {
  const all = operands(operand, compiler, name, 2, Number.POSITIVE_INFINITY);
  return (env) => {
    let value: Value | undefined;
    for (const evaluate of all) {
      value = evaluate(env);
      if (!isNullish(value)) {
        return value;
      }
    }
    return value;
  };
};

const choice: OperatorCompiler = (operand, compiler, name) => {
  const fields = namedOperands(operand, name, ["branches"], ["default"]);
  const branches = fields.get("branches");
  if (!Array.isArray(branches)) {
    throw new CommandError(40061, "$switch expected an array for 'branches'");
  }
  const cases = branches.map((branch): [Evaluate, Evaluate] => {
    const test = isDoc(branch) ? branch.get("case") : undefined;
    const then = isDoc(branch) ? branch.get("then") : undefined;
    if (test === undefined || then === undefined) {
      throw new CommandError(
        40067,
        "$switch requires each branch have a 'case' and a 'then' expression",
      );
    }
    return [compiler.compile(test), compiler.compile(then)];
  });
  const fallback = fields.get("default");
  const otherwise = fallback === undefined ? undefined : compiler.compile(fallback);
  if (cases.length === 0) {
    throw new CommandError(40068, "$switch requires at least one branch.");
  }
  return (env) => {
    for (const [test, then] of cases) {
      if (isTruthy(test(env))) {
        return then(env);
      }
    }
    if (otherwise) {
      return otherwise(env);
    }
    throw new CommandError(
      40066,
      "$switch could not find a matching branch for an input, and no default was specified.",
    );
  };
};

const letIn: OperatorCompiler = (operand, compiler, name) => {
  const fields = namedOperands(operand, name, ["vars", "in"]);
  const vars = fields.get("vars");
  if (!isDoc(vars)) {
    throw new CommandError(16876, "invalid parameter: expected an object (vars)");
  }
  const bound = [...vars].map(([key, spec]) => {
    checkVariableName(key);
    return [key, compiler.compile(spec)] as const;
  });
  const body = compiler.withVariables([...vars.keys()]).compile(fields.get("in") ?? null);
  return (env) => {
    let inner = env;
    for (const [key, evaluate] of bound) {
      inner = bind(inner, key, evaluate(env));
    }
    return body(inner);
  };
};

/** User variables begin with a small letter (or any non-ASCII one). */
export function checkVariableName(name: string): void {
  if (!/^[a-z\u0080-\u{10ffff}][\w\u0080-\u{10ffff}]*$/u.test(name)) {
    throw new CommandError(
      "FailedToParse",
      `'${name}' starts with an invalid character for a user variable name`,
    );
  }
}

const literal: OperatorCompiler = (operand) => () => operand;

export const logic: ReadonlyMap<string, OperatorCompiler> = new Map([
  ["$eq", comparison((order) => order === 0)],
  ["$ne", comparison((order) => order !== 0)],
  ["$gt", comparison((order) => order > 0)],
  ["$gte", comparison((order) => order >= 0)],
  ["$lt", comparison((order) => order < 0)],
  ["$lte", comparison((order) => order <= 0)],
  ["$cmp", binary((a, b, { order }) => new Int32(Math.sign(compareValues(a, b, order))))],
  ["$and", every],
  ["$or", some],
  ["$not", unary((value) => !isTruthy(value))],
  ["$cond", condition],
  ["$ifNull", ifNull],
  ["$switch", choice],
  ["$let", letIn],
  ["$literal", literal],
  ["$rand", named([], [], () => Math.random())],
]);
