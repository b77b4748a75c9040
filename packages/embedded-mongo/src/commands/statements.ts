import { decode } from "../query/document.ts";
import { Arguments } from "./arguments.ts";
import type { CommandContext } from "./command.ts";

/** The statements of a write command, from its body or from the section beside it. */
export function statementsOf(
  { sequences, args }: CommandContext,
  field: string,
  known: readonly string[],
): Arguments[] {
  const docs = sequences.get(field)?.map((bytes) => decode(bytes)) ?? args.objects(field);
  return docs.map((doc) => {
    const statement = new Arguments(`${args.name}.${field}`, doc);
    statement.allowOnly(known);
    return statement;
  });
}
