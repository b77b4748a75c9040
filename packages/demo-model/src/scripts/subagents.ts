import { call, type Script, say } from "../script.ts";
import { linesOf } from "../tool-result.ts";
import { agents, prompt, title as titleOf } from "../wishes.ts";
import { demoTasks } from "./demo-task.ts";

export const subagents: Script = {
  id: "subagents",
  words: /\bsub-?agents?\b/i,
  next(conversation) {
    const spawned = conversation.calls.at(-1);
    if (spawned === undefined) {
      const haste = /\bfast\b/i.test(conversation.prompt) ? " Be fast." : "";
      const tasks = demoTasks.map(({ title, task }) => ({
        fields: [prompt(`Demo task: ${task}.${haste}`), titleOf(title)],
      }));
      return call(
        conversation,
        `I start ${tasks.length} subagents at the same time and wait for all of them.`,
        { spawn_agents: [agents(tasks)] },
      );
    }
    const lines = linesOf(spawned.result);
    const shown = lines.slice(0, 24).map((line) => `> ${line.slice(0, 240)}`);
    const more =
      lines.length > shown.length ? [`> … and ${lines.length - shown.length} more lines`] : [];
    return say(
      [
        `The ${demoTasks.length} subagents have ended. This is what they sent back:`,
        "",
        ...shown,
        ...more,
      ].join("\n"),
    );
  },
};
