import type { StringOrder } from "../../query/compare.ts";
import { describe } from "../../query/describe.ts";
import { CommandError } from "../../query/error.ts";
import { type Doc, isDoc, typeName, type Value } from "../../query/value.ts";

export type Variables = ReadonlyMap<string, Value | undefined>;

export interface ExpressionScope {
  readonly now?: Date | undefined;
  /** Variables with their values: the `let` of a command or of a $lookup. */
  readonly variables?: Variables | undefined;
  readonly order?: StringOrder | undefined;
}

interface Frame {
  readonly name: string;
  readonly value: Value | undefined;
  readonly next: Frame | undefined;
}

export interface Env {
  readonly root: Value | undefined;
  readonly now: Date;
  readonly frame: Frame | undefined;
}

/** Undefined is a missing value. */
export type Evaluate = (env: Env) => Value | undefined;

export interface Compiler {
  readonly order: StringOrder | undefined;
  compile(spec: Value): Evaluate;
  /** A compiler for expressions in which further variables are bound. */
  withVariables(names: readonly string[]): Compiler;
}

export type OperatorCompiler = (operand: Value, compiler: Compiler, name: string) => Evaluate;

export function bind(env: Env, name: string, value: Value | undefined): Env {
  return { ...env, frame: { name, value, next: env.frame } };
}

/** The operands of an operator that takes between min and max of them, in an array or alone. */
export function operands(
  operand: Value,
  compiler: Compiler,
  name: string,
  min: number,
  max: number,
): Evaluate[] {
  const list = Array.isArray(operand) ? operand : [operand];
  if (list.length < min || list.length > max) {
    throw min === max
      ? new CommandError(
          16020,
          `Expression ${name} takes exactly ${min} arguments. ${list.length} were passed in.`,
        )
      : new CommandError(
          28667,
          `Expression ${name} takes at least ${min} arguments, and at most ${max}, but ${list.length} were passed in.`,
        );
  }
  return list.map((item) => compiler.compile(item));
}

type Compute<Arguments extends unknown[]> = (...values: Arguments) => Value | undefined;
type Maybe = Value | undefined;

export function unary(compute: Compute<[Maybe]>): OperatorCompiler {
  return (operand, compiler, name) => {
    const [only = missing] = operands(operand, compiler, name, 1, 1);
    return (env) => compute(only(env));
  };
}

export function binary(
  compute: (a: Maybe, b: Maybe, compiler: Compiler) => Value | undefined,
): OperatorCompiler {
  return (operand, compiler, name) => {
    const [first = missing, second = missing] = operands(operand, compiler, name, 2, 2);
    return (env) => compute(first(env), second(env), compiler);
  };
}

export function nary(
  min: number,
  max: number,
  compute: (values: readonly Maybe[], compiler: Compiler) => Value | undefined,
): OperatorCompiler {
  return (operand, compiler, name) => {
    const all = operands(operand, compiler, name, min, max);
    return (env) =>
      compute(
        all.map((evaluate) => evaluate(env)),
        compiler,
      );
  };
}

/** The fields of an operator whose operand is a document of named arguments. */
export function namedOperands(
  operand: Value,
  name: string,
  required: readonly string[],
  optional: readonly string[] = [],
): Doc {
  if (!isDoc(operand)) {
    throw new CommandError(
      "FailedToParse",
      `${name} only supports an object as its argument, found ${typeName(operand)}: ${describe(operand)}`,
    );
  }
  for (const key of operand.keys()) {
    if (!required.includes(key) && !optional.includes(key)) {
      throw new CommandError("FailedToParse", `Unrecognized argument to ${name}: ${key}`);
    }
  }
  for (const key of required) {
    if (!operand.has(key)) {
      throw new CommandError("FailedToParse", `Missing '${key}' parameter to ${name}`);
    }
  }
  return operand;
}

/** Named arguments that are evaluated with each document. */
export function named(
  required: readonly string[],
  optional: readonly string[],
  compute: (
    argument: (name: string) => Maybe,
    given: ReadonlySet<string>,
    compiler: Compiler,
  ) => Maybe,
): OperatorCompiler {
  return (operand, compiler, name) => {
    const fields = namedOperands(operand, name, required, optional);
    const evaluators = new Map([...fields].map(([key, spec]) => [key, compiler.compile(spec)]));
    const given = new Set(evaluators.keys());
    return (env) => compute((key) => evaluators.get(key)?.(env), given, compiler);
  };
}

export const missing: Evaluate = () => undefined;

/** The type of a value in messages, where a missing one is called so. */
export function typeOf(value: Maybe): string {
  return value === undefined ? "missing" : typeName(value);
}
