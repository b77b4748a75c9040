import { defineTool } from "@gadget/agent";
import { leftWords } from "@gadget/api";
import { z } from "zod";
import { shownOutput } from "./shown-output.ts";
import type { DroneToolContext } from "./tool-context.ts";

const input = z.object({
  action: z.enum(["list", "output", "stop"]),
  commandId: z.string().optional().describe("Which command; not needed for list."),
});

export const background = defineTool<typeof input, DroneToolContext>({
  name: "background",
  description: "Lists the session's background commands, shows the output of one, or stops it.",
  input,
  readOnly: true,
  timeoutMs: 30_000,
  async run({ action, commandId }, context) {
    const commands = context.background.ofSession();
    if (action === "list") {
      if (commands.length === 0) {
        return "No command runs in the background.";
      }
      return commands.map(({ id, command }) => `${id}  ${command}`).join("\n");
    }
    const found = context.background.find(commandId ?? "");
    if (found === undefined) {
      throw new Error(`There is no background command "${commandId ?? ""}".`);
    }
    if (action === "stop") {
      const { processesEnded, left, proven } = await found.running.stop();
      const rest = leftWords({ left, unproven: !proven });
      return `Stopped: ${processesEnded} processes ended, ${rest}.`;
    }
    const { text, dropped } = found.running.output();
    const result = found.running.result();
    const state = result === null ? "[it runs]" : `[it ended with exit code ${result.exitCode}]`;
    const cut = dropped > 0 ? `[the first ${dropped} characters are left out]\n` : "";
    const shown = await shownOutput(
      { text: cut + text, isWhole: dropped === 0 },
      found.kept,
      context,
    );
    return `${shown}\n${state}`;
  },
});
