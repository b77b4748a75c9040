import * as z from "zod/mini";
import * as contract from "../index.ts";

/** The contract's schemas by the name under which they are exported. */
function exportedSchemas(): Map<string, z.core.$ZodType> {
  const schemas = new Map<string, z.core.$ZodType>();
  for (const [name, value] of Object.entries<unknown>(contract)) {
    if (/^[A-Z]/.test(name) && value instanceof z.core.$ZodType) {
      schemas.set(name, value);
    }
  }
  return schemas;
}

/** What tells the kinds of a union apart, and each kind by its value. */
export function kindsOf(
  schema: z.core.$ZodType,
): { key: string; kinds: Map<string, z.core.$ZodType> } | undefined {
  if (!(schema instanceof z.core.$ZodDiscriminatedUnion)) {
    return undefined;
  }
  const { discriminator: key, options } = schema._zod.def;
  const kinds = options.flatMap((option) =>
    [...(option._zod.propValues?.[key] ?? [])].map((value) => [String(value), option] as const),
  );
  return { key, kinds: new Map(kinds) };
}

/** `text:delta` → `TextDelta` */
function pascal(text: string): string {
  return text.replace(/(?:^|\W)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * The names that clients see: a schema's own, as it is exported here; a union's kind is named for
 * both (`TextPart`). The ids are one schema with many names, so they have none.
 */
export function schemaNames(): z.core.$ZodRegistry<{ id: string }> {
  const names = z.registry<{ id: string }>();
  const exported = exportedSchemas();
  const all = [...exported.values()];
  for (const [id, schema] of exported) {
    if (all.indexOf(schema) === all.lastIndexOf(schema)) {
      names.add(schema, { id });
    }
  }
  for (const [id, schema] of exported) {
    for (const [value, kind] of kindsOf(schema)?.kinds ?? []) {
      if (!names.has(kind)) {
        names.add(kind, { id: pascal(value) + id });
      }
    }
  }
  return names;
}
