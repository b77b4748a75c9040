import { relative } from "node:path";
import type { CallRequest } from "@gadget/agent";
import { z } from "zod";
import {
  callAllowance,
  changeAllowance,
  fetchAllowance,
  shellAllowance,
} from "../allowances/allowance.ts";
import { planEdit } from "../tools/edit-file.ts";
import { plannedDiff, readBefore, writablePath } from "../tools/planned-change.ts";
import { defaultTimeoutMs } from "../tools/shell.ts";
import { safePath } from "../workspace/safe-path.ts";
import type { CallPreview } from "./approvals.ts";

const Shell = z.object({
  command: z.string(),
  path: z.optional(z.string()),
  background: z.optional(z.boolean()),
  timeoutMs: z.optional(z.number()),
});
const Write = z.object({ path: z.string(), content: z.string() });
const Edit = z.object({
  path: z.string(),
  oldText: z.string(),
  newText: z.string(),
  replaceAll: z.boolean().optional(),
});
const Fetch = z.object({ url: z.string() });

/** What a person sees of a call before it may run: the command, or the change as a diff. */
export async function callPreview(call: CallRequest, workspace: string): Promise<CallPreview> {
  const { name, input } = call;
  if (name === "web_fetch") {
    const { url } = Fetch.parse(input);
    return { command: `web_fetch ${url}`, allowance: fetchAllowance(url) };
  }
  try {
    if (name === "shell") {
      return await shellPreview(Shell.parse(input), workspace);
    }
    if (name === "write_file") {
      const { path, content } = Write.parse(input);
      const real = await writablePath(workspace, path);
      const before = await readBefore(workspace, path);
      const diff = plannedDiff(real, { before, after: content });
      return { diff, allowance: changeAllowance(real) };
    }
    if (name === "edit_file") {
      const edit = Edit.parse(input);
      const real = await writablePath(workspace, edit.path);
      const diff = plannedDiff(real, await planEdit(workspace, edit));
      return { diff, allowance: changeAllowance(real) };
    }
  } catch (error) {
    // The tool will say the same when it runs; a person may as well see it now.
    return { diff: error instanceof Error ? error.message : String(error) };
  }
  const command = `${name} ${JSON.stringify(input)}`;
  return { command, allowance: callAllowance(name, input) };
}

async function shellPreview(
  { command, path = ".", background = false, timeoutMs }: z.infer<typeof Shell>,
  workspace: string,
): Promise<CallPreview> {
  const folder = await safePath(workspace, path).catch(() => undefined);
  // The tool will refuse it.
  if (folder === undefined) {
    return { command, cwd: path };
  }
  const limit = background ? undefined : (timeoutMs ?? defaultTimeoutMs);
  return {
    command,
    ...(folder !== workspace && { cwd: relative(workspace, folder) }),
    ...(background && { background }),
    ...(timeoutMs !== undefined && !background && { timeoutMs }),
    allowance: await shellAllowance({ workspace, folder, command, timeoutMs: limit }),
  };
}
