import type { AiImage } from "@gadget/ai";
import { z } from "zod";

/** What every tool is given; a drone adds its own (the workspace, ...) by `contextFor`. */
export interface ToolContext {
  /** Fires when the turn is aborted, this call is cancelled, or its time is over. */
  signal: AbortSignal;
  callId: string;
  /** Which agent calls: the turn's own, or a subagent. */
  agentId: string;
  /** What is longer than this is cut in the middle, unless the tool itself leaves a better part out. */
  maxCharacters: number;
  /** Output for people, while the tool runs. */
  output: (text: string) => void;
}

export interface ToolResult {
  /** For the model. */
  text: string;
  /** For people, where it differs. */
  output?: string;
  diff?: string;
  images?: AiImage[];
  /** The tool did its work, and the answer is an error. */
  failed?: boolean;
  /** It ended early because of its signal; `text` is what there was until then. */
  stopped?: boolean;
}

export interface ToolLimits {
  /** Null: no limit of time, for tools that wait for people or limit themselves. */
  timeoutMs?: number | null;
  /** Characters for the model; more is cut in the middle. */
  maxCharacters?: number;
}

export type PreparedCall<Context> =
  | { ok: true; input: unknown; run(context: Context): Promise<ToolResult | string> }
  | { ok: false; error: string };

export interface AgentTool<Context extends ToolContext = ToolContext> extends ToolLimits {
  name: string;
  description: string;
  input: z.ZodType;
  /** Changes nothing. */
  readOnly: boolean;
  /** Neighbouring calls may run at the same time. */
  parallel: boolean;
  prepare(raw: Record<string, unknown>): PreparedCall<Context>;
}

/**
 * Declares a tool. `run` may throw: the message goes to the model as the tool's failure, unless
 * the signal has fired, which makes any end an abort. Time and output are limited where calls are
 * settled, not here.
 */
export function defineTool<Input extends z.ZodType, Context extends ToolContext = ToolContext>(
  tool: ToolLimits & {
    name: string;
    description: string;
    input: Input;
    readOnly?: boolean;
    /** As `readOnly`, if not given. */
    parallel?: boolean;
    run: (input: z.output<Input>, context: Context) => Promise<ToolResult | string>;
  },
): AgentTool<Context> {
  const { run, readOnly = false, parallel = readOnly, ...declared } = tool;
  return {
    ...declared,
    readOnly,
    parallel,
    prepare(raw) {
      const given = tool.input.safeParse(raw);
      const input = given.success ? raw : withoutQuotes(raw, given.error.issues);
      const parsed = given.success ? given : tool.input.safeParse(input);
      if (!parsed.success) {
        return { ok: false, error: z.prettifyError(given.error ?? parsed.error) };
      }
      return { ok: true, input, run: (context) => run(parsed.data, context) };
    },
  };
}

/** Small models put quotes around numbers and booleans. */
function withoutQuotes(raw: Record<string, unknown>, issues: readonly z.core.$ZodIssue[]) {
  const input = { ...raw };
  for (const issue of issues) {
    const [name] = issue.path;
    if (issue.code !== "invalid_type" || issue.path.length !== 1 || name === undefined) {
      continue;
    }
    const said = input[String(name)];
    if (typeof said !== "string") {
      continue;
    }
    if (issue.expected === "boolean" && /^(?:true|false)$/.test(said)) {
      input[String(name)] = said === "true";
    } else if (["number", "int"].includes(issue.expected) && /^-?\d{1,15}$/.test(said.trim())) {
      input[String(name)] = Number(said);
    }
  }
  return input;
}
