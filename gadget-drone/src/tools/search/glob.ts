import { relative } from "node:path";
import { defineTool } from "@gadget/agent";
import { z } from "zod";
import { globMatcher } from "../../workspace/match/glob-matcher.ts";
import { walkFiles } from "../../workspace/match/walk-files.ts";
import { safePath } from "../../workspace/safe-path.ts";
import type { DroneToolContext } from "../tool-context.ts";

const mostFiles = 1_000;
const mostNotes = 20;

const input = z.object({
  pattern: z.string().max(1_000).describe("For example **/*.ts or src/**/test-?.js."),
  path: z.string().optional().describe("The folder to look in, relative to the workspace."),
});

export const glob = defineTool<typeof input, DroneToolContext>({
  name: "glob",
  description: "Finds files of the workspace by their names. Skips what git ignores.",
  input,
  readOnly: true,
  timeoutMs: 60_000,
  async run({ pattern, path = "." }, { workspace, signal }) {
    const folder = relative(workspace, await safePath(workspace, path));
    // A pattern without a folder is looked for in every folder, as people mean it.
    const matches = globMatcher(pattern.includes("/") ? pattern : `**/${pattern}`);
    const found: string[] = [];
    const notes: string[] = [];
    const note = (problem: string) => {
      if (notes.length < mostNotes) {
        notes.push(`[${problem}]`);
      }
    };
    const files = walkFiles(workspace, folder, signal, note);
    for await (const file of files) {
      if (!matches(folder === "" ? file : file.slice(folder.length + 1))) {
        continue;
      }
      if (found.length === mostFiles) {
        notes.unshift("[more files match]");
        break;
      }
      found.push(file);
    }
    return [...(found.length === 0 ? ["No file matches."] : found), ...notes].join("\n");
  },
});
