import { Binary, Decimal128 } from "bson";
import { CommandError } from "../error.ts";
import { wholeNumber } from "../numeric.ts";
import { isNumeric, type Value } from "../value.ts";

type BitsOperator = "$bitsAllSet" | "$bitsAllClear" | "$bitsAnySet" | "$bitsAnyClear";

export function isBitsOperator(name: string): name is BitsOperator {
  return /^\$bits(?:All|Any)(?:Set|Clear)$/.test(name);
}

/** Tests bit positions of integers (two's complement, sign-extended) and of binary data. */
export function compileBits(operator: BitsOperator, spec: Value): (value: Value) => boolean {
  const positions = positionsOf(operator, spec);
  const wantSet = operator.endsWith("Set");
  const all = operator.startsWith("$bitsAll");
  return (value) => {
    const isSet = bitReader(value);
    if (isSet === undefined) {
      return false;
    }
    const test = (position: number): boolean => isSet(position) === wantSet;
    return all ? positions.every(test) : positions.some(test);
  };
}

function positionsOf(operator: string, spec: Value): number[] {
  if (Array.isArray(spec)) {
    return spec.map((item) => {
      const position = isNumeric(item) ? wholeNumber(item) : undefined;
      if (position === undefined || position < 0n) {
        throw new CommandError("BadValue", `bit positions of ${operator} must be integers >= 0`);
      }
      return Number(position);
    });
  }
  if (spec instanceof Binary) {
    const isSet = binaryBits(spec);
    return [...Array(spec.position * 8).keys()].filter(isSet);
  }
  const mask = isNumeric(spec) ? wholeNumber(spec) : undefined;
  if (mask === undefined) {
    throw new CommandError("BadValue", `${operator} takes an Array, a number, or a BinData`);
  }
  if (mask < 0n) {
    throw new CommandError("FailedToParse", `Expected a non-negative number in: ${operator}`);
  }
  return [...Array(63).keys()].filter((position) => (mask >> BigInt(position)) & 1n);
}

function bitReader(value: Value): ((position: number) => boolean) | undefined {
  if (value instanceof Binary) {
    return binaryBits(value);
  }
  if (!isNumeric(value) || value instanceof Decimal128) {
    return undefined;
  }
  const whole = wholeNumber(value);
  if (whole === undefined) {
    return undefined;
  }
  return (position) => ((whole >> BigInt(position)) & 1n) === 1n;
}

function binaryBits(binary: Binary): (position: number) => boolean {
  const bytes = binary.value();
  return (position) => (((bytes[position >> 3] ?? 0) >> (position & 7)) & 1) === 1;
}
