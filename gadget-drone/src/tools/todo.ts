import { defineTool } from "@gadget/agent";
import { z } from "zod";
import type { DroneToolContext } from "./tool-context.ts";

const input = z.object({
  items: z
    .array(z.object({ text: z.string().min(1), state: z.enum(["open", "active", "done"]) }))
    .max(100)
    .describe("The whole list; it replaces the one before."),
});

const boxes = { open: "[ ]", active: "[>]", done: "[x]" } as const;

export const todo = defineTool<typeof input, DroneToolContext>({
  name: "todo",
  description: "Writes down what is to be done in this turn, so that the user can follow.",
  input,
  readOnly: true,
  run({ items }) {
    const lines = items.map(({ text, state }) => `${boxes[state]} ${text}`);
    return Promise.resolve(lines.length === 0 ? "(The list is empty.)" : lines.join("\n"));
  },
});
