import { z } from "zod";
import { type AgentTool, defineTool, type ToolResult } from "./define-tool.ts";
import type { ChildResult } from "./inbox.ts";
import type { SubagentLimits, Subagents } from "./subagents.ts";

const task = {
  title: z.string().min(1).max(120).describe("A few words for people"),
  task: z
    .string()
    .min(1)
    .describe("All that the subagent has to know: it sees nothing of this conversation"),
  tools: z.array(z.string()).optional().describe("Names of the tools that it may use"),
};

/** The tools by which an agent gets children; made for each agent, since each has its own. */
export function spawnTools(subagents: Subagents, limits: SubagentLimits): AgentTool[] {
  const spawnAgent = defineTool({
    name: "spawn_agent",
    description:
      "Give a task to a subagent with a context of its own and get its final answer. With background: true you get its id at once, and its answer before one of your later steps; if you end your answer earlier, only the user sees it.",
    input: z.object({
      ...task,
      background: z.boolean().default(false),
      critical: z
        .boolean()
        .default(false)
        .describe("Let it go on when the user asks you to finish up"),
    }),
    parallel: true,
    timeoutMs: null,
    async run({ background, ...child }, { signal }) {
      if (!background) {
        return one(await subagents.run(child, signal), signal);
      }
      const started = await subagents.startInBackground(child, signal);
      return started.ok
        ? `The subagent ${started.childId} works in the background.`
        : { text: started.reason, failed: true };
    },
  });

  const spawnAgents = defineTool({
    name: "spawn_agents",
    description: `Give up to ${limits.atOnce} tasks to subagents that work at the same time, and get all of their answers. When one fails, the others are stopped.`,
    input: z.object({ agents: z.array(z.object(task)).min(1).max(limits.atOnce) }),
    parallel: true,
    timeoutMs: null,
    async run({ agents }, { signal }) {
      const tasks = agents.map((agent) => ({ ...agent, critical: false }));
      const results = await subagents.runGroup(tasks, signal);
      const text = results
        .map((result, index) => `${index + 1}. ${result.title} (${result.outcome})\n${result.text}`)
        .join("\n\n");
      return {
        text,
        failed: results.some((result) => result.outcome === "failed"),
        stopped: signal.aborted,
      };
    },
  });
  return [spawnAgent, spawnAgents];
}

function one(result: ChildResult, signal: AbortSignal): ToolResult {
  return {
    text: result.text,
    failed: result.outcome === "failed",
    stopped: signal.aborted && result.outcome !== "finished",
  };
}
