import { CommandError } from "../../query/error.ts";
import { isTruthy } from "../../query/match/field-operators.ts";
import type { Value } from "../../query/value.ts";
import { arrayOrNull, int32 } from "./array.ts";
import { checkVariableName } from "./logic.ts";
import { bind, namedOperands, type OperatorCompiler } from "./operator.ts";

const map: OperatorCompiler = (operand, compiler, name) => {
  const fields = namedOperands(operand, name, ["input", "in"], ["as"]);
  const variable = variableName(fields.get("as"));
  const input = compiler.compile(fields.get("input") ?? null);
  const body = compiler.withVariables([variable]).compile(fields.get("in") ?? null);
  return (env) => {
    const array = arrayOrNull(input(env), 16883, "input to $map must be an array");
    return array === null ? null : array.map((item) => body(bind(env, variable, item)) ?? null);
  };
};

const filter: OperatorCompiler = (operand, compiler, name) => {
  const fields = namedOperands(operand, name, ["input", "cond"], ["as", "limit"]);
  const variable = variableName(fields.get("as"));
  const input = compiler.compile(fields.get("input") ?? null);
  const limit = compiler.compile(fields.get("limit") ?? null);
  const test = compiler.withVariables([variable]).compile(fields.get("cond") ?? null);
  return (env) => {
    const array = arrayOrNull(input(env), 28651, "input to $filter must be an array");
    if (array === null) {
      return null;
    }
    const given = limit(env) ?? null;
    const most =
      given === null ? Infinity : int32(given, 327391, "$filter: limit must be a 32-bit integer");
    if (most < 1) {
      throw new CommandError(327392, `$filter: limit must be greater than 0: ${most}`);
    }
    const kept: Value[] = [];
    for (const item of array) {
      if (kept.length >= most) {
        break;
      }
      if (isTruthy(test(bind(env, variable, item)))) {
        kept.push(item);
      }
    }
    return kept;
  };
};

const reduce: OperatorCompiler = (operand, compiler, name) => {
  const fields = namedOperands(operand, name, ["input", "initialValue", "in"]);
  const input = compiler.compile(fields.get("input") ?? null);
  const initial = compiler.compile(fields.get("initialValue") ?? null);
  const body = compiler.withVariables(["this", "value"]).compile(fields.get("in") ?? null);
  return (env) => {
    const array = arrayOrNull(input(env), 40080, "$reduce requires that 'input' be an array");
    if (array === null) {
      return null;
    }
    return array.reduce<Value | undefined>(
      (value, item) => body(bind(bind(env, "this", item), "value", value)),
      initial(env),
    );
  };
};

function variableName(as: Value | undefined): string {
  if (as === undefined) {
    return "this";
  }
  if (typeof as !== "string") {
    throw new CommandError(16866, "the variable name 'as' must be a string");
  }
  checkVariableName(as);
  return as;
}

export const iteration: ReadonlyMap<string, OperatorCompiler> = new Map([
  ["$map", map],
  ["$filter", filter],
  ["$reduce", reduce],
]);
