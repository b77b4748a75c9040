import type { Project } from "@gadget/api";
import type { Command } from "commander";
import { type CommandHost, examples } from "../command-host.ts";
import { listProjects } from "../find/find-project.ts";
import { plainText } from "../print/plain-text.ts";
import { table } from "../print/table.ts";
import { shownId } from "../print/turn-line.ts";

export function addProjects(program: Command, host: CommandHost): void {
  program
    .command("projects")
    .summary("list the projects")
    .description("Lists your projects and their folders.")
    .addHelpText("after", examples("gadget projects"))
    .action(
      host.action(async (context) => {
        const items = await listProjects(context);
        if (context.json) {
          return context.printJson({ items, nextCursor: null });
        }
        if (items.length === 0) {
          return context.print("There is no project yet: make one on the page.");
        }
        const rows = items.map((project) => [
          plainText(project.name),
          project.id.slice(0, shownId),
          plainText(folderOf(project)),
        ]);
        for (const line of table([["NAME", "ID", "FOLDER"], ...rows])) {
          context.print(line);
        }
      }),
    );
}

function folderOf({ directory, source }: Project): string {
  if (directory !== undefined) {
    return directory;
  }
  return source.kind === "git" ? source.gitUrl : `(${source.kind})`;
}
