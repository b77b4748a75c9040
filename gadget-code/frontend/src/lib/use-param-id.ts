import { useParams } from "react-router";

interface IdSchema<Id extends string> {
  parse(value: unknown): Id;
}

/** The `:id` of the address, or undefined where it can't be one. */
export function useParamId<Id extends string>(schema: IdSchema<Id>): Id | undefined {
  const { id } = useParams();
  try {
    return schema.parse(id);
  } catch {
    return undefined;
  }
}
