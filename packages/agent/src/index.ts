export type { AgentEnd, AgentEvent, Steer, ToolEnd, ToolOutcome } from "./agent-event.ts";
export { type AgentOptions, AgentRun } from "./agent-run.ts";
export { type AgentTool, defineTool, type ToolContext, type ToolResult } from "./define-tool.ts";
export type { Authorize, CallRequest, Permission } from "./settle-call.ts";
export { type SubagentLimits, subagentLimits } from "./subagents.ts";
