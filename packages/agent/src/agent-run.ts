import type { AiFailure, AiMessage, AiParameters, AiProvider, AiUsage } from "@gadget/ai";
import type { AgentEnd, ChildIdentity, Emit, LoopEnd, Steer, ToolOutcome } from "./agent-event.ts";
import type { AgentTool, ToolContext } from "./define-tool.ts";
import { Inbox } from "./inbox.ts";
import { type PrepareHistory, runLoop } from "./run-loop.ts";
import type { Authorize, CallScope, ResultLimit } from "./settle-call.ts";
import { spawnTools } from "./spawn-tools.ts";
import { type ChildTask, type SubagentLimits, Subagents, subagentLimits } from "./subagents.ts";
import { trimHistory } from "./trim-history.ts";

const defaultStepLimit = 200;
/** Below the 5 s in which an aborted turn settles; each level of subagents gives up a bit earlier. */
const defaultAbortDeadlineMs = 4500;
const deadlineStepMs = 150;

export interface AgentOptions<Context extends ToolContext> {
  provider: AiProvider;
  model: string;
  parameters?: AiParameters;
  /** The turn's. */
  signal: AbortSignal;
  emit: Emit;
  /** The conversation with its instructions; it grows as the agent works. */
  messages: AiMessage[];
  tools: readonly AgentTool<Context>[];
  /** Adds to what every tool is given. */
  contextFor: (base: ToolContext) => Context;
  /** Asked before each call; everything is allowed if not given. */
  authorize?: Authorize;
  stepLimit?: number;
  /** Decides what of the conversation is sent, before each model call. */
  prepareHistory?: PrepareHistory;
  /** What each of its own answers took, before the calls of that answer are settled. */
  onUsage?: (usage: AiUsage) => void;
  subagents?: {
    tools: readonly AgentTool<Context>[];
    /** Instructions for every child. */
    system: string;
    limits?: Partial<SubagentLimits>;
    /** As for the agent itself, after its trimming. */
    prepareHistory?: PrepareHistory;
    resultLimit?: ResultLimit;
  };
  /** How many characters a result may have, beside the tool's own limit. */
  resultLimit?: ResultLimit;
  /** A tool goes on 3 s after the abort. */
  onAbortTimeout?: (tool: { callId: string; name: string }) => void;
  /** A tool ended after its call was settled without it; the result is dropped. */
  onLateResult?: (tool: { callId: string; name: string; lateMs: number }) => void;
  abortWarningMs?: number;
  abortDeadlineMs?: number;
}

/** One agent at work on one turn, and its subagents. */
export class AgentRun<Context extends ToolContext> {
  readonly #options: AgentOptions<Context>;
  readonly #depth: number;
  readonly #inbox = new Inbox();
  readonly #scope: CallScope<Context>;
  readonly #subagents: Subagents;
  #end: LoopEnd | undefined;
  #isOver = false;
  /** What was left behind at the deadline tells nothing any more. */
  readonly #emit: Emit = (event) => (this.#isOver ? undefined : this.#options.emit(event));

  constructor(options: AgentOptions<Context>, place = { agentId: "root", depth: 0 }) {
    this.#options = options;
    this.#depth = place.depth;
    const { signal, contextFor, subagents } = options;
    const emit = this.#emit;
    const limits = { ...subagentLimits, ...subagents?.limits };
    this.#subagents = new Subagents(
      {
        ...place,
        signal,
        emit,
        inbox: this.#inbox,
        makeChild: (child, task, own) => this.#makeChild(child, task, own, limits),
      },
      limits,
    );
    const maySpawn = subagents !== undefined && place.depth < limits.depth;
    const tools: AgentTool<Context>[] = [
      ...options.tools,
      ...(maySpawn ? spawnTools(this.#subagents, limits) : []),
    ];
    this.#scope = {
      agentId: place.agentId,
      signal,
      tools: new Map(tools.map((tool) => [tool.name, tool])),
      contextFor,
      resultLimit: options.resultLimit ?? unlimited,
      authorize: options.authorize ?? (() => Promise.resolve({ allowed: true })),
      emit,
      cancels: new Map(),
      abortWarningMs: options.abortWarningMs ?? 3000,
      abortDeadlineMs:
        (options.abortDeadlineMs ?? defaultAbortDeadlineMs) - place.depth * deadlineStepMs,
      onAbortTimeout: options.onAbortTimeout ?? (() => {}),
      onLateResult: options.onLateResult ?? (() => {}),
    };
  }

  /** Runs to the end, which comes after every call and every child has ended. Rejects for a bug. */
  async run(): Promise<AgentEnd> {
    const { stepLimit = defaultStepLimit, prepareHistory = sendAll, signal } = this.#options;
    const inbox = this.#inbox;
    const scope = this.#scope;
    const bugs: unknown[] = [];
    const keep = (error: unknown) => {
      bugs.push(error);
      return undefined;
    };
    const options = { ...this.#options, inbox, scope, stepLimit, prepareHistory };
    let end = await runLoop(options, this.#emit).catch(keep);
    await this.#subagents.conclude(end).catch(keep);
    this.#isOver = true;
    // Whatever breaks while the signal has fired is the abort, and so is an abort that comes while
    // the children are waited for.
    if (signal.aborted) {
      end = { reason: "aborted" };
    }
    if (end === undefined || (bugs.length > 0 && !signal.aborted)) {
      throw bugs[0];
    }
    this.#end = end;
    return agentEnd(end, inbox.takeSteers());
  }

  /** Given to the model before its next call; calls that have not started are skipped for it. */
  steer(message: Steer): void {
    this.#inbox.steer(message);
  }

  /** No new tools, one last model call without any, then the end. */
  finish(): void {
    this.#inbox.finishing = true;
    this.#subagents.finish();
  }

  stopAtNextStep(): void {
    this.#inbox.stopping = true;
    this.#subagents.finish();
  }

  /**
   * Stops one call, and not the turn; false: there is no such call. Models number their calls each
   * from the start, so `agentId` says whose call is meant; without it, the first that is found.
   */
  cancelTool(callId: string, agentId?: string): boolean {
    const mine = agentId === undefined || agentId === this.#scope.agentId;
    const cancel = mine ? this.#scope.cancels.get(callId) : undefined;
    cancel?.();
    return cancel !== undefined || this.#subagents.cancelTool(callId, agentId);
  }

  /** What the agent came to, for its parent. */
  result(): { outcome: ToolOutcome; text: string } {
    const text = lastText(this.#options.messages);
    switch (this.#end?.reason) {
      case "finished":
        return { outcome: "finished", text: text || "(It ended without an answer.)" };
      case "failed":
        return { outcome: "failed", text: `${failureText(this.#end.failure)}\n${text}`.trim() };
      default:
        return { outcome: "cancelled", text: `(It was stopped before its end.)\n${text}`.trim() };
    }
  }

  #makeChild(
    child: ChildIdentity,
    task: ChildTask,
    own: { signal: AbortSignal; emit: Emit },
    limits: SubagentLimits,
  ): AgentRun<Context> {
    const { subagents, onUsage: _, ...options } = this.#options;
    const allowed = task.tools && new Set(task.tools);
    return new AgentRun(
      {
        ...options,
        ...(subagents && { subagents }),
        ...own,
        stepLimit: limits.steps,
        tools: (subagents?.tools ?? []).filter((tool) => !allowed || allowed.has(tool.name)),
        messages: [
          { role: "system", content: subagents?.system ?? "" },
          { role: "user", content: task.task },
        ],
        resultLimit: subagents?.resultLimit ?? unlimited,
        prepareHistory: async (messages, childSignal, refused) => {
          const trimmed = trimHistory(messages, limits.messages);
          const fit = subagents?.prepareHistory ?? sendAll;
          return fit(trimmed, childSignal, refused);
        },
      },
      { agentId: child.childId, depth: this.#depth + 1 },
    );
  }
}

/** The same once more would be refused once more. */
const sendAll: PrepareHistory = (messages, _, refused) =>
  Promise.resolve(refused ? { ok: false, failure: refused } : { ok: true, value: messages });

const unlimited: ResultLimit = () => Promise.resolve(Number.POSITIVE_INFINITY);

function agentEnd(end: LoopEnd, undelivered: Steer[]): AgentEnd {
  if (end.reason === "failed") {
    return { type: "end", ...end, undelivered };
  }
  return { type: "end", reason: end.reason === "aborted" ? "aborted" : "finished", undelivered };
}

function failureText({ message, detail }: AiFailure): string {
  return detail ? `${message} (${detail})` : message;
}

function lastText(messages: readonly AiMessage[]): string {
  const last = messages.findLast((message) => message.role === "assistant");
  const parts = last?.content.flatMap((part) => (part.type === "text" ? [part.text] : [])) ?? [];
  return parts.join("\n\n");
}
