import { defineTool } from "@gadget/agent";
import { z } from "zod";
import { isBinary } from "../workspace/changes/file-diff.ts";
import { applyChange, type PlannedChange, readBefore, writablePath } from "./planned-change.ts";
import { replaceText } from "./replace-text.ts";
import type { DroneToolContext } from "./tool-context.ts";

const input = z.object({
  path: z.string().describe("The file, relative to the workspace."),
  oldText: z.string().min(1).describe("The exact text to replace, with its white space."),
  newText: z.string().describe("What stands there afterwards."),
  replaceAll: z.boolean().optional().describe("Replace every place where the text stands."),
});
type EditInput = z.infer<typeof input>;

export const editFile = defineTool<typeof input, DroneToolContext>({
  name: "edit_file",
  description:
    "Replaces a piece of a file. The old text must stand in the file exactly, and only once unless replaceAll is given.",
  input,
  timeoutMs: 60_000,
  async run(edit, context) {
    const real = await writablePath(context.workspace, edit.path);
    const planned = await planEdit(context.workspace, edit);
    return applyChange(real, planned, context, `Edited ${edit.path}`);
  },
});

/** What the edit would make of the file; throws what the model should know otherwise. */
export async function planEdit(workspace: string, edit: EditInput): Promise<PlannedChange> {
  const { path, oldText, newText, replaceAll = false } = edit;
  const before = await readBefore(workspace, path);
  if (before === null) {
    throw new Error(`There is no file "${path}". write_file makes one.`);
  }
  if (isBinary(before.bytes)) {
    throw new Error(`"${path}" is a binary file.`);
  }
  const replaced = replaceText(before.bytes.toString("utf8"), oldText, newText, replaceAll);
  if (!replaced.ok) {
    throw new Error(`${path} was not changed: ${replaced.why}`);
  }
  return { before, after: replaced.text };
}
