import { z } from "zod";
import type { AiTool, JsonSchema } from "../api.ts";

const converted = new WeakMap<object, JsonSchema>();

/** The JSON Schema of a tool's input, as models read it. */
export function toolSchema(tool: AiTool): JsonSchema {
  const { input } = tool;
  if (!(input instanceof z.ZodType)) {
    return input;
  }
  const known = converted.get(input);
  if (known) {
    return known;
  }
  const { $schema: _, ...schema } = z.toJSONSchema(input, { target: "draft-7", io: "input" });
  if (schema.type !== "object") {
    throw new TypeError(`The input of the tool ${tool.name} must be a zod object.`);
  }
  converted.set(input, schema);
  return schema;
}
