import { Decimal128, Int32 } from "bson";
import { compareValues, type StringOrder } from "../query/compare.ts";
import { addExact, type Exact, toDecimal128 } from "../query/decimal.ts";
import { asDouble, decimalOperand, fitsInt64, intOrLong } from "../query/numeric.ts";
import { type Doc, isNullish, isNumeric, type Numeric, type Value } from "../query/value.ts";
import { quotient } from "./expression/arithmetic.ts";
import { mergeInto } from "./expression/object.ts";
import { ValueSet } from "./expression/set.ts";

type Maybe = Value | undefined;

/** Takes the values of a group one by one. */
export interface Accumulator {
  add(value: Maybe): void;
  result(): Maybe;
}

export type AccumulatorFactory = (order: StringOrder | undefined) => Accumulator;

/**
 * A sum that has the widest type of its numbers: integers are added exactly (a long that overflows
 * becomes a double), doubles with compensation, and all as decimals once one is among them.
 */
class Sum implements Accumulator {
  count = 0;
  private integers = 0n;
  private doubles = 0;
  private compensation = 0;
  private decimals: Exact | undefined;
  private special = 0;
  private widest: "int" | "long" | "double" | "decimal" = "int";

  add(value: Maybe): void {
    if (!isNumeric(value)) {
      return;
    }
    this.count += 1;
    if (value instanceof Int32) {
      this.integers += BigInt(value.value);
    } else if (typeof value === "bigint") {
      this.integers += value;
      if (this.widest === "int") {
        this.widest = "long";
      }
    } else if (typeof value === "number") {
      this.addDouble(value);
      if (this.widest !== "decimal") {
        this.widest = "double";
      }
    } else {
      this.widest = "decimal";
      const exact = decimalOperand(value);
      if (typeof exact === "string") {
        this.special += Number(exact);
      } else {
        this.decimals = this.decimals ? addExact(this.decimals, exact) : exact;
      }
    }
  }

  /** Neumaier's variant of Kahan's summation. */
  private addDouble(value: number): void {
    const next = this.doubles + value;
    this.compensation +=
      Math.abs(this.doubles) >= Math.abs(value)
        ? this.doubles - next + value
        : value - next + this.doubles;
    this.doubles = next;
  }

  private doubleTotal(): number {
    return Number.isFinite(this.doubles) ? this.doubles + this.compensation : this.doubles;
  }

  result(): Numeric {
    const doubles = this.doubleTotal();
    switch (this.widest) {
      case "int":
        return fitsInt64(this.integers) ? intOrLong(this.integers) : Number(this.integers);
      case "long":
        return fitsInt64(this.integers) ? this.integers : Number(this.integers);
      case "double":
        return Number(this.integers) + doubles;
      case "decimal": {
        const special = this.special + (Number.isFinite(doubles) ? 0 : doubles);
        if (this.special !== 0 || Number.isNaN(special) || !Number.isFinite(doubles)) {
          return Decimal128.fromString(String(special));
        }
        const rest = decimalOperand(doubles);
        let total = this.decimals ?? { coefficient: 0n, exponent: 0 };
        total = addExact(total, { coefficient: this.integers, exponent: 0 });
        if (doubles !== 0 && typeof rest !== "string") {
          total = addExact(total, rest);
        }
        return toDecimal128(total);
      }
    }
  }
}

class Average implements Accumulator {
  private readonly sum = new Sum();
  add(value: Maybe): void {
    this.sum.add(value);
  }
  result(): Maybe {
    const { count } = this.sum;
    return count === 0
      ? null
      : quotient(this.sum.result(), count > 2147483647 ? count : new Int32(count));
  }
}

/** The least or greatest value; null and missing don't count. */
class Extreme implements Accumulator {
  private value: Maybe;
  private readonly sign: 1 | -1;
  private readonly order: StringOrder | undefined;
  constructor(sign: 1 | -1, order: StringOrder | undefined) {
    this.sign = sign;
    this.order = order;
  }
  add(value: Maybe): void {
    if (isNullish(value)) {
      return;
    }
    const isBetter =
      this.value === undefined || compareValues(value, this.value, this.order) * this.sign > 0;
    if (isBetter) {
      this.value = value;
    }
  }
  result(): Maybe {
    return this.value ?? null;
  }
}

/** Welford's method, which needs no second pass. */
class Deviation implements Accumulator {
  private count = 0;
  private mean = 0;
  private squares = 0;
  private readonly isSample: boolean;
  constructor(isSample: boolean) {
    this.isSample = isSample;
  }
  add(value: Maybe): void {
    if (!isNumeric(value)) {
      return;
    }
    const number = asDouble(value);
    this.count += 1;
    const delta = number - this.mean;
    this.mean += delta / this.count;
    this.squares += delta * (number - this.mean);
  }
  result(): Maybe {
    const divisor = this.isSample ? this.count - 1 : this.count;
    return divisor <= 0 ? null : Math.sqrt(this.squares / divisor);
  }
}

function first(): Accumulator {
  let value: Maybe;
  let isEmpty = true;
  return {
    add: (next) => {
      if (isEmpty) {
        value = next;
      }
      isEmpty = false;
    },
    result: () => value ?? null,
  };
}

function last(): Accumulator {
  let value: Maybe;
  return {
    add: (next) => {
      value = next;
    },
    result: () => value ?? null,
  };
}

function push(): Accumulator {
  const values: Value[] = [];
  return {
    add: (value) => {
      if (value !== undefined) {
        values.push(value);
      }
    },
    result: () => values,
  };
}

function addToSet(order: StringOrder | undefined): Accumulator {
  const set = new ValueSet([], order);
  return {
    add: (value) => {
      if (value !== undefined) {
        set.add(value);
      }
    },
    result: () => set.values(),
  };
}

function mergeObjects(): Accumulator {
  const merged: Doc = new Map();
  return { add: (value) => mergeInto(merged, value), result: () => merged };
}

/** The accumulators whose operand is one expression. */
export const ACCUMULATORS: ReadonlyMap<string, AccumulatorFactory> = new Map<
  string,
  AccumulatorFactory
>([
  ["$sum", () => new Sum()],
  ["$avg", () => new Average()],
  ["$min", (order) => new Extreme(-1, order)],
  ["$max", (order) => new Extreme(1, order)],
  ["$stdDevPop", () => new Deviation(false)],
  ["$stdDevSamp", () => new Deviation(true)],
  ["$first", first],
  ["$last", last],
  ["$push", push],
  ["$addToSet", addToSet],
  ["$mergeObjects", mergeObjects],
]);
