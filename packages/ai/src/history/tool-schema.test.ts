import { describe, expect, it } from "vitest";
import { z } from "zod";
import { toolSchema } from "./tool-schema.ts";

describe("toolSchema", () => {
  it("turns zod into the JSON Schema of the input", () => {
    const input = z.object({
      path: z.string().describe("A file"),
      limit: z.number().int().positive().default(10),
    });
    expect(toolSchema({ name: "t", description: "d", input })).toMatchObject({
      type: "object",
      properties: { path: { type: "string", description: "A file" }, limit: { default: 10 } },
      required: ["path"],
    });
    expect(toolSchema({ name: "t", description: "d", input })).not.toHaveProperty("$schema");
  });

  it("passes JSON Schema on", () => {
    const input = { type: "object", properties: {} };
    expect(toolSchema({ name: "t", description: "d", input })).toBe(input);
  });

  it("throws for a schema that is no object, which no model can call", () => {
    const tool = { name: "t", description: "d", input: z.string() };
    expect(() => toolSchema(tool)).toThrow("must be a zod object");
  });
});
