import { describe } from "../query/describe.ts";
import { CommandError } from "../query/error.ts";
import { type Doc, isDoc, type Value } from "../query/value.ts";
import type { Compiler, Env, Evaluate, ExpressionScope } from "./expression/operator.ts";
import { OPERATORS } from "./expression/operators.ts";

export type { ExpressionScope } from "./expression/operator.ts";

/**
 * Compiles an aggregation expression to a function of a document. Unknown operators and variables
 * are refused here, before any document is seen; the result is undefined for a missing value.
 */
export function compileExpression(
  spec: Value,
  scope: ExpressionScope,
): (doc: Doc) => Value | undefined {
  const variables = scope.variables ?? new Map<string, Value>();
  const evaluate = compilerFor(new Set(variables.keys()), scope).compile(spec);
  const now = scope.now ?? new Date();
  let frame: Env["frame"];
  for (const [name, value] of variables) {
    frame = { name, value, next: frame };
  }
  return (root) => evaluate({ root, now, frame });
}

function compilerFor(names: ReadonlySet<string>, scope: ExpressionScope): Compiler {
  const compiler: Compiler = {
    order: scope.order,
    compile: (spec) => compile(spec, names, compiler),
    withVariables: (added) => compilerFor(new Set([...names, ...added]), scope),
  };
  return compiler;
}

function compile(spec: Value, names: ReadonlySet<string>, compiler: Compiler): Evaluate {
  if (typeof spec === "string" && spec.startsWith("$")) {
    return reference(spec, names);
  }
  if (Array.isArray(spec)) {
    const items = spec.map((item) => compiler.compile(item));
    return (env) => items.map((item) => item(env) ?? null);
  }
  return isDoc(spec) ? compileDoc(spec, compiler) : () => spec;
}

function compileDoc(spec: Doc, compiler: Compiler): Evaluate {
  const [first] = spec.keys();
  if (first?.startsWith("$")) {
    if (spec.size > 1) {
      throw new CommandError(
        15983,
        `an object representing an expression must have exactly one field: ${describe(spec)}`,
      );
    }
    const operator = OPERATORS.get(first);
    if (operator === undefined) {
      throw new CommandError("InvalidPipelineOperator", `Unrecognized expression '${first}'`);
    }
    return operator(spec.get(first) ?? null, compiler, first);
  }
  const fields = [...spec].map(([name, value]) => {
    if (name.startsWith("$")) {
      throw new CommandError(
        16410,
        `FieldPath field names may not start with '$'. Consider using $getField or $setField.`,
      );
    }
    if (name.includes(".")) {
      throw new CommandError(
        16412,
        "FieldPath field names may not contain '.'. Consider using $getField or $setField.",
      );
    }
    return [name, compiler.compile(value)] as const;
  });
  return (env) => {
    const doc: Doc = new Map();
    for (const [name, evaluate] of fields) {
      const value = evaluate(env);
      if (value !== undefined) {
        doc.set(name, value);
      }
    }
    return doc;
  };
}

function reference(text: string, names: ReadonlySet<string>): Evaluate {
  if (!text.startsWith("$$")) {
    const path = fieldPath(text.slice(1));
    return (env) => valueAtPath(env.root, path, 0);
  }
  const [name = "", ...path] = fieldPath(text.slice(2));
  const start = variable(name, names);
  return path.length === 0 ? start : (env) => valueAtPath(start(env), path, 0);
}

/** The components of a field path, checked as MongoDB does. */
export function fieldPath(text: string): string[] {
  if (text === "") {
    throw new CommandError(16872, "'$' by itself is not a valid FieldPath");
  }
  const path = text.split(".");
  if (text.endsWith(".")) {
    throw new CommandError(40353, "FieldPath must not end with a '.'.");
  }
  for (const name of path) {
    if (name === "") {
      throw new CommandError(15998, "FieldPath field names may not be empty strings.");
    }
    if (name.startsWith("$")) {
      throw new CommandError(
        16410,
        "FieldPath field names may not start with '$'. Consider using $getField or $setField.",
      );
    }
  }
  return path;
}

function variable(name: string, names: ReadonlySet<string>): Evaluate {
  if (names.has(name)) {
    return (env) => {
      let { frame } = env;
      while (frame !== undefined && frame.name !== name) {
        frame = frame.next;
      }
      return frame?.value;
    };
  }
  switch (name) {
    case "ROOT":
    case "CURRENT":
      return (env) => env.root;
    case "NOW":
      return (env) => env.now;
    case "REMOVE":
      return () => undefined;
    default:
      throw new CommandError(17276, `Use of undefined variable: ${name}`);
  }
}

/** A path through documents; an array on the way gives the array of what its documents have. */
export function valueAtPath(
  start: Value | undefined,
  path: readonly string[],
  from: number,
): Value | undefined {
  let value = start;
  for (let at = from; at < path.length; at += 1) {
    if (Array.isArray(value)) {
      const found: Value[] = [];
      for (const item of value) {
        const inner = isDoc(item) ? valueAtPath(item, path, at) : undefined;
        if (inner !== undefined) {
          found.push(inner);
        }
      }
      return found;
    }
    if (!isDoc(value)) {
      return undefined;
    }
    value = value.get(path[at] ?? "");
  }
  return value;
}
