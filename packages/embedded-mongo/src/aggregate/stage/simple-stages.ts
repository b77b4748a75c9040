import { describe } from "../../query/describe.ts";
import { CommandError } from "../../query/error.ts";
import { compileFilter } from "../../query/match.ts";
import { intOrLong, wholeNumber } from "../../query/numeric.ts";
import { isDoc, isNumeric, type Value } from "../../query/value.ts";
import { typeOf } from "../expression/operator.ts";
import { collect, type StageCompiler } from "./stage.ts";

export const match: StageCompiler = (spec, scope) => {
  if (!isDoc(spec)) {
    throw new CommandError(15959, "the match filter must be an expression in an object");
  }
  const { collation, now, variables } = scope;
  const filter = compileFilter(spec, { collation, now, variables });
  return async function* matched(input) {
    for await (const doc of input) {
      if (filter.matches(doc)) {
        yield doc;
      }
    }
  };
};

/** The number of a $limit or $skip. */
function stageCount(spec: Value, name: "$limit" | "$skip"): number {
  const count = isNumeric(spec) ? wholeNumber(spec) : undefined;
  const code = name === "$limit" ? 5107201 : 5107200;
  if (count === undefined || count < 0n) {
    throw new CommandError(
      code,
      `invalid argument to ${name} stage: Expected a non-negative number in: ${name}: ${describe(spec)}`,
    );
  }
  if (name === "$limit" && count === 0n) {
    throw new CommandError(15958, "the limit must be positive");
  }
  return Number(count);
}

export const limit: StageCompiler = (spec) => {
  const most = stageCount(spec, "$limit");
  return async function* limited(input) {
    let count = 0;
    for await (const doc of input) {
      yield doc;
      count += 1;
      if (count >= most) {
        return;
      }
    }
  };
};

export const skip: StageCompiler = (spec) => {
  const first = stageCount(spec, "$skip");
  return async function* skipped(input) {
    let count = 0;
    for await (const doc of input) {
      if (count >= first) {
        yield doc;
      }
      count += 1;
    }
  };
};

export const count: StageCompiler = (spec) => {
  if (typeof spec !== "string" || spec === "") {
    throw new CommandError(40156, "the count field must be a non-empty string");
  }
  if (spec.startsWith("$")) {
    throw new CommandError(40158, "the count field cannot be a $-prefixed path");
  }
  if (spec.includes(".")) {
    throw new CommandError(40160, "the count field cannot contain '.'");
  }
  return async function* counted(input) {
    let total = 0;
    for await (const _doc of input) {
      total += 1;
    }
    if (total > 0) {
      yield new Map([[spec, intOrLong(total)]]);
    }
  };
};

export const sample: StageCompiler = (spec) => {
  if (!isDoc(spec)) {
    throw new CommandError(28745, "the $sample stage specification must be an object");
  }
  for (const key of spec.keys()) {
    if (key !== "size") {
      throw new CommandError(28748, `unrecognized option to $sample: ${key}`);
    }
  }
  const value = spec.get("size");
  const size = isNumeric(value) ? wholeNumber(value) : undefined;
  if (size === undefined) {
    throw new CommandError(
      28746,
      `size argument to $sample must be a number, not ${typeOf(value)}`,
    );
  }
  if (size <= 0n) {
    throw new CommandError(28747, "size argument to $sample must be a positive integer");
  }
  return async function* sampled(input) {
    const docs = await collect(input);
    const most = Math.min(Number(size), docs.length);
    for (let i = 0; i < most; i += 1) {
      const j = i + Math.floor(Math.random() * (docs.length - i));
      const chosen = docs[j];
      const swapped = docs[i];
      if (chosen === undefined || swapped === undefined) {
        return;
      }
      docs[j] = swapped;
      yield chosen;
    }
  };
};
