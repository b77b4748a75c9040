import type {
  AiEnd,
  AiFailed,
  AiFailure,
  AiFailureKind,
  AiMessage,
  AiParameters,
  AiProvider,
  AiResult,
  AiToolCall,
  AiUsage,
  AiUserMessage,
  IAiChatOptions,
} from "@gadget/ai";
import type { AgentEvent, Emit, LoopEnd } from "./agent-event.ts";
import { askModel } from "./ask-model.ts";
import type { ToolContext } from "./define-tool.ts";
import type { Inbox } from "./inbox.ts";
import type { CallScope } from "./settle-call.ts";
import { settleCalls } from "./settle-calls.ts";

/**
 * Decides what of the conversation is sent. `refused` says why the server did not take what was
 * prepared before; a failure says that there is nothing that it would take.
 */
export type PrepareHistory = (
  messages: readonly AiMessage[],
  signal: AbortSignal,
  refused?: AiFailure,
) => Promise<AiResult<readonly AiMessage[]>>;

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
  /** The place for compaction. */
  prepareHistory: PrepareHistory;
  /** What an answer took, before its calls are settled. */
  onUsage?: (usage: AiUsage) => void;
}

/**
 * Ask the model, tell what it streams, settle its tool calls, repeat. Only the signal says whether
 * an end is an abort. Every call that is in `messages` has its result there when this returns.
 */
export async function runLoop<Context extends ToolContext>(
  options: LoopOptions<Context>,
  emit: Emit,
): Promise<LoopEnd> {
  const { model, parameters, signal, messages, inbox, scope, stepLimit } = options;
  const tools = [...scope.tools.values()];
  for (let step = 1; ; step++) {
    if (signal.aborted) {
      return { reason: "aborted" };
    }
    if (inbox.stopping) {
      return { reason: "stopped" };
    }
    for (const { message, event } of inbox.take()) {
      messages.push(message);
      if (event) {
        await emit(event);
      }
    }
    const closing = inbox.finishing;
    messages.push(...stepNote(stepLimit - step + 1));
    const request = {
      signal,
      model,
      ...(parameters && { parameters }),
      ...(!closing && tools.length > 0 && { tools }),
    };
    const answer = await askFitting(options, step, request, emit);
    if (answer.type === "unsendable") {
      return signal.aborted ? { reason: "aborted" } : { reason: "failed", failure: answer.failure };
    }
    messages.push(answer.message);
    options.onUsage?.(answer.usage);
    await emit({ type: "usage", usage: answer.usage });
    if (answer.type === "failure") {
      return signal.aborted ? { reason: "aborted" } : { reason: "failed", failure: answer.failure };
    }
    const calls = answer.message.content.filter((part): part is AiToolCall => {
      return part.type === "toolcall";
    });
    const skip = () => (closing ? "finishing" : inbox.skip);
    messages.push(...(await settleCalls(calls, scope, skip)));
    if (signal.aborted) {
      return { reason: "aborted" };
    }
    if (answer.reason === "length") {
      await emit(lengthNotice);
    }
    if (closing || (calls.length === 0 && !inbox.hasSteers)) {
      return { reason: "finished" };
    }
    if (step >= stepLimit) {
      await emit(limitNotice(stepLimit));
      return { reason: "finished" };
    }
  }
}

/** What a history can be made to fit for: these are asked once more each. */
const fitting: readonly AiFailureKind[] = ["context_too_long", "no_images"];

/** Asks with what fits; where the server finds that it does not, once more with what is left then. */
async function askFitting<Context extends ToolContext>(
  { provider, messages, prepareHistory }: LoopOptions<Context>,
  step: number,
  request: Omit<IAiChatOptions, "messages">,
  emit: Emit,
): Promise<AiEnd | AiFailed | { type: "unsendable"; failure: AiFailure }> {
  const left = new Set(fitting);
  let refused: AiFailure | undefined;
  for (;;) {
    const history = await prepareHistory(messages, request.signal, refused);
    if (!history.ok) {
      return { type: "unsendable", failure: history.failure };
    }
    await emit({ type: "step", step });
    const answer = await askModel(provider, { ...request, messages: history.value }, emit);
    const unheard = answer.type === "failure" && answer.message.content.length === 0;
    if (!unheard || request.signal.aborted || !left.delete(answer.failure.kind)) {
      return answer;
    }
    refused = answer.failure;
  }
}

const warnAt = [5, 2];

function stepNote(left: number): AiUserMessage[] {
  if (!warnAt.includes(left)) {
    return [];
  }
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
