import { Decimal128, Int32 } from "bson";
import { CommandError } from "../bson/command-error.ts";
import { describe } from "../bson/describe.ts";
import { add } from "../bson/numeric.ts";
import { isNumeric, type Numeric, typeName, type Value } from "../bson/value.ts";
import { fieldName, type ModifierCompiler } from "./modifier.ts";

export const set: ModifierCompiler = (operand) => ({ way: "creates", apply: () => operand });

export const unset: ModifierCompiler = () => ({ way: "ignores", apply: () => undefined });

export const inc: ModifierCompiler = (operand, path) => {
  if (!isNumeric(operand)) {
    throw new CommandError(
      "TypeMismatch",
      `Cannot increment with non-numeric argument: {${path}: ${describe(operand)}}`,
    );
  }
  refuseDecimal(operand);
  return {
    way: "creates",
    apply: (current, place) => {
      if (current === undefined) {
        return operand;
      }
      if (!isNumeric(current)) {
        throw new CommandError(
          "TypeMismatch",
          `Cannot apply $inc to a value of non-numeric type. {_id: ${describe(place.id)}} has the field '${fieldName(place)}' of non-numeric type ${typeName(current)}`,
        );
      }
      refuseDecimal(current);
      const result = add(current, operand);
      if (result === undefined) {
        throw new CommandError(
          "BadValue",
          `Failed to apply $inc operations to current value ((${longName(current)})${describe(current)}) for document {_id: ${describe(place.id)}}`,
        );
      }
      return result;
    },
  };
};

function refuseDecimal(value: Numeric): void {
  if (value instanceof Decimal128) {
    throw new CommandError("NotImplemented", "$inc of a decimal is not supported");
  }
}

function longName(value: Value): string {
  return value instanceof Int32 ? "NumberInt" : "NumberLong";
}
