import type { Command } from "commander";
import { type CommandHost, examples } from "../command-host.ts";
import { everyItem } from "../find/every-item.ts";
import { ago } from "../print/ago.ts";
import { droneMark } from "../print/mark.ts";
import { plainText } from "../print/plain-text.ts";
import { table } from "../print/table.ts";
import { shownId } from "../print/turn-line.ts";

export function addDrones(program: Command, host: CommandHost): void {
  program
    .command("drones")
    .summary("list the drones")
    .description("Lists your drones and the shared ones, with what they are doing.")
    .addHelpText("after", examples("gadget drones", "gadget drones --json"))
    .action(
      host.action(async ({ client, signal, style, json, print, printJson }) => {
        const items = await everyItem((cursor) =>
          client.request("listDrones", { query: { limit: 200, ...cursor }, signal }),
        );
        if (json) {
          return printJson({ items, nextCursor: null });
        }
        if (items.length === 0) {
          return print("There is no drone yet. The page shows how to add one.");
        }
        const rows = items.map(
          ({ id, name, status, host, running, capacity, lastSeenAt, labels }) => [
            plainText(name),
            status,
            plainText(host),
            `${running}/${capacity}`,
            lastSeenAt === null ? "never" : ago(lastSeenAt, Date.now()),
            id.slice(0, shownId),
            plainText(labels.join(", ")),
          ],
        );
        const head = ["NAME", "STATUS", "HOST", "RUNNING", "SEEN", "ID", "LABELS"];
        for (const [index, line] of table([head, ...rows]).entries()) {
          const drone = items[index - 1];
          print(drone === undefined ? `  ${line}` : `${droneMark(drone.status, style)} ${line}`);
        }
      }),
    );
}
