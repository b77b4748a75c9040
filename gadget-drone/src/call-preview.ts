import type { CallRequest } from "@gadget/agent";
import { z } from "zod";
import type { CallPreview } from "./approvals.ts";
import { plannedDiff, readBefore } from "./tools/change-file.ts";
import { planEdit } from "./tools/edit-file.ts";

const Shell = z.object({ command: z.string() });
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
  if (call.name === "shell") return { command: Shell.parse(call.input).command };
  if (call.name === "web_fetch") {
    const { url } = Fetch.parse(call.input);
    // By site: what was allowed for one page holds for its others.
    const site = URL.canParse(url) ? new URL(url).origin : url;
    return { command: `web_fetch ${url}`, prefix: `web_fetch ${site}` };
  }
  try {
    if (call.name === "write_file") {
      const { path, content } = Write.parse(call.input);
      const before = await readBefore(workspace, path);
      return { diff: plannedDiff(path, { before, after: content }) };
    }
    if (call.name === "edit_file") {
      const edit = Edit.parse(call.input);
      return { diff: plannedDiff(edit.path, await planEdit(workspace, edit)) };
    }
  } catch (error) {
    // The tool will say the same when it runs; a person may as well see it now.
    return { diff: error instanceof Error ? error.message : String(error) };
  }
  return { command: `${call.name} ${JSON.stringify(call.input)}` };
}
