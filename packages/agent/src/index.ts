export type { AgentEnd, AgentEvent, Steer, ToolEnd, ToolOutcome } from "./agent-event.ts";
export { type AgentOptions, AgentRun } from "./agent-run.ts";
export { type AgentTool, defineTool, type ToolContext, type ToolResult } from "./define-tool.ts";
export type { PrepareHistory } from "./run-loop.ts";
export type { Authorize, CallRequest, Permission, ResultLimit } from "./settle-call.ts";
export { type SubagentLimits, subagentLimits } from "./subagents.ts";
export { unlessAborted } from "./unless-aborted.ts";
export { untilDeadline } from "./until-deadline.ts";
