import { defineTool } from "@gadget/agent";
import { z } from "zod";
import { applyChange, readBefore, writablePath } from "./planned-change.ts";
import type { DroneToolContext } from "./tool-context.ts";

const input = z.object({
  path: z.string().describe("The file, relative to the workspace. Missing folders are made."),
  content: z.string().describe("The whole new content."),
});

export const writeFile = defineTool<typeof input, DroneToolContext>({
  name: "write_file",
  description: "Writes a whole file of the workspace, a new one or in the place of the old one.",
  input,
  timeoutMs: 60_000,
  async run({ path, content }, context) {
    const real = await writablePath(context.workspace, path);
    const before = await readBefore(context.workspace, path);
    const done = before === null ? `Created ${path}` : `Wrote ${path}`;
    return applyChange(real, { before, after: content }, context, done);
  },
});
