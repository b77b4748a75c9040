import { describe } from "../describe.ts";
import { CommandError } from "../error.ts";
import { type Doc, isDoc, type Value } from "../value.ts";
import { changeAt } from "./update-path.ts";

export interface Rename {
  readonly path: readonly string[];
  rename(doc: Doc): void;
}

/** `$rename: { source: "target" }`: moves a field that lies in no array. */
export function compileRename(
  source: string,
  operand: Value,
  addPath: (path: string) => string[],
): Rename {
  if (typeof operand !== "string") {
    throw new CommandError(
      "BadValue",
      `The 'to' field for $rename must be a string: ${source}: ${describe(operand)}`,
    );
  }
  if (source === operand) {
    throw new CommandError(
      "BadValue",
      `The source and target field for $rename must differ: ${source}: ${describe(operand)}`,
    );
  }
  const from = addPath(source);
  const to = addPath(operand);
  for (const [path, role] of [
    [from, "source"],
    [to, "destination"],
  ] as const) {
    if (path.some((name) => name.startsWith("$"))) {
      throw new CommandError(
        "BadValue",
        `The ${role} field for $rename may not be dynamic: ${path.join(".")}`,
      );
    }
  }
  return {
    path: from,
    rename: (doc) => {
      refuseArrays(doc, from, "source");
      let moved: Value | undefined;
      changeAt(doc, from, "expects", (current) => {
        moved = current;
        return undefined;
      });
      if (moved === undefined) {
        return;
      }
      refuseArrays(doc, to, "destination");
      const value = moved;
      changeAt(doc, to, "creates", () => value);
    },
  };
}

function refuseArrays(doc: Doc, path: readonly string[], role: string): void {
  let value: Value | undefined = doc;
  for (const [i, name] of path.entries()) {
    if (Array.isArray(value)) {
      throw new CommandError(
        "BadValue",
        `The ${role} field cannot be an array element, '${path.join(".")}' in doc with _id: ${describe(doc.get("_id"))} has an array field called '${path[i - 1]}'`,
      );
    }
    if (!isDoc(value)) {
      return;
    }
    value = value.get(name);
  }
}
