import { relative } from "node:path";
import { defineTool } from "@gadget/agent";
import { z } from "zod";
import { isAside } from "../workspace/aside-files.ts";
import { readFolder } from "../workspace/read-folder.ts";
import { hasCode, safePath } from "../workspace/safe-path.ts";
import type { DroneToolContext } from "./tool-context.ts";

const mostEntries = 1_000;

const input = z.object({
  path: z.string().optional().describe("The folder, relative to the workspace."),
});

export const listFiles = defineTool<typeof input, DroneToolContext>({
  name: "list_files",
  description: "Lists what is in a folder of the workspace, one name a line; folders end with /.",
  input,
  readOnly: true,
  timeoutMs: 30_000,
  async run({ path = "." }, { workspace }) {
    const folder = relative(workspace, await safePath(workspace, path));
    const content = await readFolder(workspace, folder).catch((error: unknown) => {
      if (hasCode(error, "ENOENT")) {
        throw new Error(`There is no folder "${path}".`);
      }
      if (hasCode(error, "ENOTDIR")) {
        throw new Error(`"${path}" is a file: read_file reads it.`);
      }
      throw error;
    });
    const names = content.entries
      .filter((entry) => entry.name !== ".git" && !isAside(entry.name))
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .sort();
    if (names.length === 0) {
      return "(The folder is empty.)";
    }
    const more = names.length - mostEntries;
    const notSeen = content.more ? ", and others that were not looked at" : "";
    const rest = more > 0 ? [`[${more} more${notSeen}]`] : [];
    return [...names.slice(0, mostEntries), ...rest].join("\n");
  },
});
