import { type AiToolCall, type AiToolMessage, shorten } from "@gadget/ai";
import type { Emit, ToolEnd } from "./agent-event.ts";
import type { AgentTool, PreparedCall, ToolContext, ToolResult } from "./define-tool.ts";
import {
  historyOutcome,
  type NotStarted,
  neverStartedText,
  type StoppedBy,
  stoppedText,
} from "./tool-texts.ts";
import { unlessAborted } from "./unless-aborted.ts";
import { untilDeadline } from "./until-deadline.ts";

const defaultTimeoutMs = 120_000;
const defaultMaxCharacters = 30_000;
const maxLiveCharacters = 1_000_000;

export type Permission = { allowed: true } | { allowed: false; reason: string };

/** A call as people see it before it may run. */
export interface CallRequest {
  callId: string;
  agentId: string;
  name: string;
  input: unknown;
  readOnly: boolean;
}

/** May wait for a person; its signal ends the waiting. */
export type Authorize = (call: CallRequest, signal: AbortSignal) => Promise<Permission>;

/**
 * How many characters the result of a call may have now, beside `characters` that its neighbours
 * gave and the results of all that run at the same time.
 */
export type ResultLimit = (
  beside: { characters: number; atOnce: number },
  signal: AbortSignal,
) => Promise<number>;

/** What settling needs to know of the agent whose call it is. */
export interface CallScope<Context extends ToolContext> {
  agentId: string;
  signal: AbortSignal;
  tools: ReadonlyMap<string, AgentTool<Context>>;
  contextFor: (base: ToolContext) => Context;
  authorize: Authorize;
  resultLimit: ResultLimit;
  emit: Emit;
  /** Calls that can be cancelled one by one, while they can be. */
  cancels: Map<string, () => void>;
  /** From the abort on: when a tool that goes on is named, and when nobody waits for it any more. */
  abortWarningMs: number;
  abortDeadlineMs: number;
  onAbortTimeout: (tool: { callId: string; name: string }) => void;
  onLateResult: (tool: { callId: string; name: string; lateMs: number }) => void;
}

type Settled = Pick<ToolEnd, "outcome" | "text" | "input" | "output" | "diff" | "durationMs"> &
  Pick<ToolResult, "images">;

/**
 * The one place where a tool call gets its result: exactly one, whatever the tool, the user or the
 * clock do.
 */
export async function settleCall<Context extends ToolContext>(
  call: AiToolCall,
  scope: CallScope<Context>,
  skip?: NotStarted,
  limit = Number.POSITIVE_INFINITY,
): Promise<AiToolMessage> {
  const { images = [], ...settled } = await attempt(call, scope, skip, limit).catch(failed);
  scope.cancels.delete(call.id);
  await scope.emit({ type: "tool:end", callId: call.id, name: call.name, ...settled });
  return {
    role: "tool",
    callId: call.id,
    content: images.length > 0 ? [{ type: "text", text: settled.text }, ...images] : settled.text,
    outcome: historyOutcome(settled.outcome),
  };
}

async function attempt<Context extends ToolContext>(
  call: AiToolCall,
  scope: CallScope<Context>,
  skip: NotStarted | undefined,
  limit: number,
): Promise<Settled> {
  const input = call.arguments.ok ? call.arguments.value : {};
  const notStarted = (reason: NotStarted): Settled => {
    return { outcome: "never_started", text: neverStartedText(reason), input };
  };
  if (scope.signal.aborted) {
    return notStarted("aborted");
  }
  if (skip) {
    return notStarted(skip);
  }
  const tool = scope.tools.get(call.name);
  if (!tool) {
    const names = [...scope.tools.keys()].join(", ");
    return failed(`There is no tool named ${call.name}. There are: ${names}.`, input);
  }
  const prepared = prepare(call, tool);
  if (!prepared.ok) {
    return failed(`The arguments are not valid.\n${prepared.error}`, input);
  }

  const cancel = new AbortController();
  scope.cancels.set(call.id, () => cancel.abort());
  const signal = AbortSignal.any([scope.signal, cancel.signal]);
  const { readOnly, name } = tool;
  const request = { callId: call.id, agentId: scope.agentId, name, input, readOnly };
  const asked = unlessAborted(scope.authorize(request, signal), signal);
  const permission = await asked.catch((error: unknown) => {
    if (!signal.aborted) {
      throw error;
    }
    return undefined;
  });
  if (signal.aborted) {
    return notStarted(scope.signal.aborted ? "aborted" : "cancelled");
  }
  if (permission && !permission.allowed) {
    return notStarted({ denied: permission.reason });
  }

  // Told and begun in one moment: what is told to run does run.
  const told = scope.emit({ type: "tool:run", callId: call.id, name, input });
  const begun = performance.now();
  const running = run(call.id, tool, prepared, scope, cancel, signal, limit);
  const [settled] = await Promise.all([running.catch(failed), told]);
  return { ...settled, input, durationMs: Math.round(performance.now() - begun) };
}

function prepare<Context extends ToolContext>(
  call: AiToolCall,
  tool: AgentTool<Context>,
): PreparedCall<Context> {
  if (call.arguments.ok) {
    return tool.prepare(call.arguments.value);
  }
  return { ok: false, error: call.arguments.error };
}

async function run<Context extends ToolContext>(
  callId: string,
  tool: AgentTool<Context>,
  prepared: PreparedCall<Context> & { ok: true },
  scope: CallScope<Context>,
  cancel: AbortController,
  signal: AbortSignal,
  limit: number,
): Promise<Settled> {
  const { name, timeoutMs = defaultTimeoutMs } = tool;
  const maxCharacters = Math.min(tool.maxCharacters ?? defaultMaxCharacters, limit);
  let timedOut = false;
  const timer =
    timeoutMs === null
      ? undefined
      : setTimeout(() => {
          timedOut = true;
          cancel.abort();
        }, timeoutMs);
  const live = liveOutput(callId, scope);
  const work = async () => {
    const { agentId } = scope;
    const base = { signal, callId, agentId, maxCharacters, output: live.output };
    return prepared.run(scope.contextFor(base));
  };
  const ended = work().then(
    (value) => ({ kind: "value", value }) as const,
    (error: unknown) => ({ kind: "error", error }) as const,
  );
  const settling = untilDeadline(ended, { signal, deadlineMs: scope.abortDeadlineMs }, () => {
    const since = performance.now();
    const late = () => ({ callId, name, lateMs: Math.round(performance.now() - since) });
    void ended.then(() => scope.onLateResult(late()));
    return { kind: "deadline" } as const;
  });
  void untilDeadline(settling, { signal, deadlineMs: scope.abortWarningMs }, () =>
    scope.onAbortTimeout({ callId, name }),
  );
  const end = await settling;
  clearTimeout(timer);
  live.close();

  const by: StoppedBy = scope.signal.aborted ? "abort" : timedOut ? "timeout" : "cancel";
  const stopped = (partial: string): Settled => {
    const text = stoppedText(by, shorten(partial, maxCharacters), timeoutMs);
    return { outcome: by === "timeout" ? "failed" : "cancelled", text };
  };
  if (end.kind === "deadline") {
    return { ...stopped(""), outcome: "unknown" };
  }
  if (end.kind === "error") {
    return signal.aborted ? stopped("") : failed(end.error);
  }
  const result = typeof end.value === "string" ? { text: end.value } : end.value;
  const { text, failed: isFailure, stopped: isStopped, ...shown } = result;
  // A tool that had ended its work when the abort came has finished, and is not said to be cut.
  if (isStopped && signal.aborted) {
    return { ...shown, ...stopped(text) };
  }
  const outcome = isFailure ? "failed" : "finished";
  return { ...shown, outcome, text: shorten(text, maxCharacters) };
}

function liveOutput(callId: string, scope: { emit: Emit }) {
  let left = maxLiveCharacters;
  return {
    output: (text: string) => {
      if (left <= 0 || text === "") {
        return;
      }
      left -= text.length;
      const more = left <= 0 ? "\n[... further output is not shown ...]\n" : "";
      // A tool that prints can't wait.
      void scope.emit({ type: "tool:output", callId, text: text + more });
    },
    /** What a late tool still says belongs to nobody. */
    close: () => {
      left = 0;
    },
  };
}

function failed(error: unknown, input?: unknown): Settled {
  const message = error instanceof Error ? error.message : String(error);
  const text = shorten(message || "The tool failed without a message.", defaultMaxCharacters);
  return { outcome: "failed", text, ...(input !== undefined && { input }) };
}
