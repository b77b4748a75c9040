import { decode } from "../../bson/document.ts";
import { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";

/** The statements of a write command, from its body or from the section beside it. */
export function statementsOf(
  { sequences, args }: CommandContext,
  field: string,
  required: readonly string[],
  optional: readonly string[],
): Arguments[] {
  const docs = sequences.get(field)?.map((bytes) => decode(bytes)) ?? args.objects(field);
  return docs.map((doc) => {
    const statement = new Arguments(`${args.name}.${field}`, doc);
    statement.allowOnly(required, optional);
    for (const name of required) {
      statement.required(name);
    }
    return statement;
  });
}
