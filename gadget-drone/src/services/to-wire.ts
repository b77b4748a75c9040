import type { AgentEvent, ToolEnd } from "@gadget/agent";
import type { AiUsage } from "@gadget/ai";
import {
  type CallId,
  MessageId,
  mapTexts,
  type Person,
  type TurnEventBody,
  type Usage,
  withoutMiddle,
} from "@gadget/api";

import { rootAgent, wireCallId } from "../wire-call-id.ts";

const longestOutput = 200_000;
/** So much of what a call prints is shown while it runs; its end has the head and the tail. */
const longestShown = 500_000;
const notShown = "\n[The rest is not shown while it runs.]\n";

/**
 * Translates what an agent does into a turn's events. Holds only what is needed to give parts
 * unique names and to add tokens up; the same events always give the same result.
 */
export class ToWire {
  readonly #steps = new Map<string, number>();
  /** How much of a running call's output was shown. */
  readonly #shown = new Map<CallId, number>();
  /** Who sent a steering message, by its id. */
  readonly #senders: ReadonlyMap<string, Person>;
  #usage: Usage = { inputTokens: 0, outputTokens: 0 };

  constructor(senders: ReadonlyMap<string, Person>) {
    this.#senders = senders;
  }

  /** `agentId` is undefined for the turn's own agent. */
  translate(event: AgentEvent, agentId?: string): TurnEventBody[] {
    switch (event.type) {
      case "step":
        this.#steps.set(agentId ?? "", event.step);
        return [];
      case "text:start":
      case "reasoning:start":
        return [
          { type: event.type, partId: this.#part(event.id, agentId), ...this.#origin(agentId) },
        ];
      case "text:delta":
      case "reasoning:delta":
      case "text:end":
      case "reasoning:end":
        return [{ type: event.type, partId: this.#part(event.id, agentId), text: event.text }];
      case "toolcall:start": {
        const callId = wireCallId(event.id, agentId);
        return [{ type: "tool:start", callId, name: event.name, ...this.#origin(agentId) }];
      }
      case "toolcall:delta":
        return [{ type: "tool:input", callId: wireCallId(event.id, agentId), delta: event.text }];
      case "tool:run":
        return [
          {
            type: "tool:input",
            callId: wireCallId(event.callId, agentId),
            input: shownInput(event.input),
          },
        ];
      case "tool:output":
        return this.#output(wireCallId(event.callId, agentId), event.text);
      case "tool:end":
        this.#shown.delete(wireCallId(event.callId, agentId));
        return [toolEnd(event, agentId)];
      case "usage":
        return [{ type: "usage", usage: this.#add(event.usage, agentId) }];
      case "message:steered": {
        const { messageId, text } = event;
        const by = this.#senders.get(messageId);
        return [
          {
            type: "message:steered",
            messageId: MessageId.parse(messageId),
            text,
            ...(by && { by }),
          },
        ];
      }
      case "subagent:event":
        return this.translate(event.event, event.childId);
      case "subagent:start":
      case "subagent:end":
      case "subagent:orphan":
        return [event];
      case "backoff:start": {
        const seconds = Math.ceil(event.waitMs / 1000);
        const text = `${event.failure.message} Trying again in ${seconds} s.`;
        const { status } = event.failure;
        const waiting = { ms: 0, retryMs: event.waitMs, ...(status !== undefined && { status }) };
        return [{ type: "notice", level: "info", code: "backoff", text, waiting }];
      }
      case "notice":
        return [event];
      case "finishing":
        return [{ type: "turn:changed", status: "processing", waitingFor: "finishing" }];
      case "toolcall:end":
      case "backoff:end":
        return [];
    }
  }

  #output(callId: CallId, text: string): TurnEventBody[] {
    const before = this.#shown.get(callId) ?? 0;
    this.#shown.set(callId, before + text.length);
    if (before > longestShown) {
      return [];
    }
    const isLast = before + text.length > longestShown;
    return [{ type: "tool:output", callId, text: isLast ? text + notShown : text }];
  }

  #part(id: string, agentId: string | undefined): string {
    return `${agentId ?? rootAgent}.${this.#steps.get(agentId ?? "") ?? 0}.${id}`.slice(0, 200);
  }

  #origin(agentId: string | undefined) {
    const step = this.#steps.get(agentId ?? "");
    return { ...(agentId !== undefined && { agentId }), ...(step !== undefined && { step }) };
  }

  #add(usage: AiUsage, agentId: string | undefined): Usage {
    const { inputTokens, outputTokens, cachedInputTokens, contextLength, estimated } = usage;
    const before = this.#usage;
    const cached = (before.cachedInputTokens ?? 0) + (cachedInputTokens ?? 0);
    // How full the context is says the turn's own agent; subagents have their own.
    const context =
      agentId === undefined
        ? {
            contextTokens: inputTokens + outputTokens,
            ...(contextLength !== undefined && { contextWindow: contextLength }),
          }
        : {};
    this.#usage = {
      ...before,
      inputTokens: before.inputTokens + inputTokens,
      outputTokens: before.outputTokens + outputTokens,
      ...(cached > 0 && { cachedInputTokens: cached }),
      ...((estimated === true || before.estimated === true) && { estimated: true }),
      ...context,
    };
    return this.#usage;
  }
}

function toolEnd(event: ToolEnd, agentId: string | undefined): TurnEventBody {
  const { type, callId, name, outcome, input, text, output, diff, durationMs } = event;
  return {
    type,
    callId: wireCallId(callId, agentId),
    name,
    outcome,
    ...(input !== undefined && { input: shownInput(input) }),
    text,
    ...(output !== undefined && { output: shortened(output) }),
    ...(diff !== undefined && diff !== "" && { diff: shortened(diff) }),
    ...(durationMs !== undefined && { durationMs }),
  };
}

/** A whole file may be an argument; one message must not carry more than the server takes. */
function shownInput(input: unknown): unknown {
  return mapTexts(input, shortened);
}

function shortened(text: string): string {
  return withoutMiddle(text, longestOutput);
}
