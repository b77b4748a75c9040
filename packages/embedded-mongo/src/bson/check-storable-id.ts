import { CommandError } from "./command-error.ts";
import { isDoc, typeName, type Value } from "./value.ts";

const refused = new Set(["array", "regex", "undefined"]);

/** What MongoDB does not take as an _id: some types, and fields that look like operators. */
export function checkStorableId(id: Value | undefined): void {
  if (id === undefined) {
    return;
  }
  const type = typeName(id);
  if (refused.has(type)) {
    throw new CommandError("InvalidIdField", `The '_id' value cannot be of type ${type}`);
  }
  if (!isDoc(id)) {
    return;
  }
  for (const name of id.keys()) {
    if (!name.startsWith("$")) {
      continue;
    }
    throw new CommandError(
      "DollarPrefixedFieldName",
      `_id fields may not contain '$'-prefixed fields: ${name} is not valid for storage.`,
    );
  }
}
