import { stat } from "node:fs/promises";
import { relative } from "node:path";
import { defineTool } from "@gadget/agent";
import { z } from "zod";
import { globMatcher } from "../../workspace/match/glob-matcher.ts";
import { safePath } from "../../workspace/safe-path.ts";
import type { DroneToolContext } from "../tool-context.ts";
import { rulesForRipgrep } from "./rules-for-ripgrep.ts";
import { searchLimits } from "./search.ts";
import { searchInThread } from "./search-in-thread.ts";
import { searchWithRipgrep } from "./search-with-ripgrep.ts";

const input = z.object({
  pattern: z.string().max(2_000).describe("A regular expression, looked for line by line."),
  path: z.string().optional().describe("A file or folder, relative to the workspace."),
  glob: z.string().max(1_000).optional().describe("Only files whose names match, as *.ts."),
  ignoreCase: z.boolean().optional(),
});

export const grep = defineTool<typeof input, DroneToolContext>({
  name: "grep",
  description: `Searches the files of the workspace by a regular expression; gives path:line:text, at most ${searchLimits.mostMatches} matches. Skips what git ignores.`,
  input,
  readOnly: true,
  timeoutMs: 2 * searchLimits.timeoutMs + 5_000,
  async run({ pattern, path = ".", glob, ignoreCase }, context) {
    const real = await safePath(context.workspace, path);
    const wants = glob === undefined ? () => true : globMatcher(anywhere(glob));
    const search = { pattern, path: relative(context.workspace, real), ignoreCase, wants };
    const found = await stat(real).catch(() => undefined);
    // A pipe would be waited at, a device has no end.
    if (found !== undefined && !found.isFile() && !found.isDirectory()) {
      throw new Error(`"${path}" is no ordinary file and no folder.`);
    }
    const { ripgrep } = context;
    const rules = ripgrep === undefined ? undefined : await rulesForRipgrep(search.path, context);
    const { lines, notes } =
      ripgrep === undefined || rules === undefined
        ? await searchInThread(search, context)
        : await searchWithRipgrep(ripgrep, search, rules, context);
    return [...(lines.length === 0 ? ["Nothing matches."] : lines), ...notes].join("\n");
  },
});

function anywhere(glob: string): string {
  return glob.includes("/") ? glob : `**/${glob}`;
}
