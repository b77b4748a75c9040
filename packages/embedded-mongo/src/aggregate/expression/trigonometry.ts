import { CommandError } from "../../query/error.ts";
import { asDouble } from "../../query/numeric.ts";
import { isNullish, isNumeric } from "../../query/value.ts";
import { real } from "./arithmetic.ts";
import { binary, type OperatorCompiler, typeOf } from "./operator.ts";

function bounded(
  name: string,
  accepts: (value: number) => boolean,
  compute: (value: number) => number,
): OperatorCompiler {
  return real(name, (value) => {
    if (!Number.isNaN(value) && !accepts(value)) {
      throw new CommandError(50989, `cannot apply ${name} to ${value}, value is out of its domain`);
    }
    return compute(value);
  });
}

const unit = (value: number): boolean => value >= -1 && value <= 1;

const arcTangent2 = binary((y, x) => {
  if (isNullish(y) || isNullish(x)) {
    return null;
  }
  if (!isNumeric(y) || !isNumeric(x)) {
    throw new CommandError(
      51044,
      `$atan2 only supports numeric types, not ${typeOf(y)} and ${typeOf(x)}`,
    );
  }
  return Math.atan2(asDouble(y), asDouble(x));
});

export const trigonometry: ReadonlyMap<string, OperatorCompiler> = new Map([
  ["$sin", bounded("$sin", Number.isFinite, Math.sin)],
  ["$cos", bounded("$cos", Number.isFinite, Math.cos)],
  ["$tan", bounded("$tan", Number.isFinite, Math.tan)],
  ["$asin", bounded("$asin", unit, Math.asin)],
  ["$acos", bounded("$acos", unit, Math.acos)],
  ["$atan", real("$atan", Math.atan)],
  ["$atan2", arcTangent2],
  ["$sinh", real("$sinh", Math.sinh)],
  ["$cosh", real("$cosh", Math.cosh)],
  ["$tanh", real("$tanh", Math.tanh)],
  ["$asinh", real("$asinh", Math.asinh)],
  ["$acosh", bounded("$acosh", (value) => value >= 1, Math.acosh)],
  ["$atanh", bounded("$atanh", unit, Math.atanh)],
  ["$degreesToRadians", real("$degreesToRadians", (value) => (value * Math.PI) / 180)],
  ["$radiansToDegrees", real("$radiansToDegrees", (value) => (value * 180) / Math.PI)],
]);
