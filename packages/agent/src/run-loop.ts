import type { AiMessage, AiParameters, AiProvider, AiToolCall, AiUserMessage } from "@gadget/ai";
import type { AgentEvent, LoopEnd } from "./agent-event.ts";
import { askModel } from "./ask-model.ts";
import type { ToolContext } from "./define-tool.ts";
import type { Inbox } from "./inbox.ts";
import type { CallScope } from "./settle-call.ts";
import { settleCalls } from "./settle-calls.ts";

export type PrepareHistory = (
  messages: readonly AiMessage[],
  signal: AbortSignal,
) => Promise<readonly AiMessage[]>;

interface LoopOptions<Context extends ToolContext> {
  provider: AiProvider;
  model: string;
  parameters?: AiParameters;
  signal: AbortSignal;
  /** The conversation; the loop appends to it. */
  messages: AiMessage[];
  inbox: Inbox;
  scope: CallScope<Context>;
  stepLimit: number;
  /** Decides what of the conversation is sent; the place for compaction. */
  prepareHistory: PrepareHistory;
}

/**
 * Ask the model, yield what it streams, settle its tool calls, repeat. Only the signal says whether
 * an end is an abort. Every call that is in `messages` has its result there when this returns.
 */
export async function* runLoop<Context extends ToolContext>(
  options: LoopOptions<Context>,
): AsyncGenerator<AgentEvent, LoopEnd> {
  const { provider, model, parameters, signal, messages, inbox, scope, stepLimit } = options;
  const tools = [...scope.tools.values()];
  for (let step = 1; ; step++) {
    if (signal.aborted) return { reason: "aborted" };
    if (inbox.stopping) return { reason: "stopped" };
    for (const { message, event } of inbox.take()) {
      messages.push(message);
      if (event) yield event;
    }
    const closing = inbox.finishing;
    messages.push(...stepNote(stepLimit - step + 1));
    const history = await options.prepareHistory(messages, signal);
    yield { type: "step", step };
    const answer = yield* askModel(provider, {
      signal,
      model,
      messages: history,
      ...(parameters && { parameters }),
      ...(!closing && tools.length > 0 && { tools }),
    });
    messages.push(answer.message);
    yield { type: "usage", usage: answer.usage };
    if (answer.type === "failure") {
      return signal.aborted ? { reason: "aborted" } : { reason: "failed", failure: answer.failure };
    }
    const calls = answer.message.content.filter((part): part is AiToolCall => {
      return part.type === "toolcall";
    });
    const skip = () => (closing ? "finishing" : inbox.skip);
    messages.push(...(await settleCalls(calls, scope, skip)));
    if (signal.aborted) return { reason: "aborted" };
    if (answer.reason === "length") yield lengthNotice;
    if (closing || (calls.length === 0 && !inbox.hasSteers)) return { reason: "finished" };
    if (step >= stepLimit) {
      yield limitNotice(stepLimit);
      return { reason: "finished" };
    }
  }
}

const warnAt = [5, 2];

function stepNote(left: number): AiUserMessage[] {
  if (!warnAt.includes(left)) return [];
  const content = `(${left} steps are left in this turn. Bring the work into a usable state and say what remains.)`;
  return [{ role: "user", content }];
}

const lengthNotice: AgentEvent = {
  type: "notice",
  level: "warning",
  code: "length",
  text: "The answer was cut at the model's output limit. Send a message to let it go on.",
};

function limitNotice(limit: number): AgentEvent {
  return {
    type: "notice",
    level: "warning",
    code: "step_limit",
    text: `The turn ended at its limit of ${limit} steps. Continue it to let the agent go on.`,
  };
}
