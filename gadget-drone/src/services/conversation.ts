import {
  type AgentEvent,
  AgentRun,
  type Authorize,
  type Steer,
  type ToolContext,
} from "@gadget/agent";
import type { AiMessage, AiParameters, AiProvider, AiUsage } from "@gadget/ai";
import type { CallId, HistoryMessage, Person, TurnEventBody, WorkOrder } from "@gadget/api";
import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import { childHistory } from "../history/child-history.ts";
import { CompactingHistory } from "../history/compacting-history.ts";
import { fromWire, toMessage } from "../history/from-wire.ts";
import { beginsTurn, lastWholeTurn } from "../history/last-whole-turn.ts";
import { type KnownModels, ModelWindow } from "../history/model-window.ts";
import { type GetHistory, readHistory } from "../history/read-history.ts";
import type { DroneTool, DroneToolContext } from "../tools/tool-context.ts";
import { callOf } from "../wire-call-id.ts";
import { instructions, subagentInstructions } from "./instructions.ts";
import { ModelSilence } from "./model-silence.ts";
import { ToWire } from "./to-wire.ts";

export interface ConversationOptions {
  order: WorkOrder;
  tools: readonly DroneTool[];
  signal: AbortSignal;
  emit: (event: TurnEventBody) => void;
  getHistory: GetHistory;
  authorize: Authorize;
  clock: Clock;
  log: Logger;
}

/** How the model is reached, and what was said to it. */
interface ModelPlace {
  provider: AiProvider;
  knownModels: KnownModels;
}

/** What there is once the workspace is open. */
export interface ConversationPlace extends ModelPlace {
  workspace: string;
  contextFor: (base: ToolContext) => DroneToolContext;
  /** Waits while the server can't keep up, so that the agent slows down. */
  room: () => Promise<void>;
}

/** The agent at work on one order, and what people say to it meanwhile. */
export class Conversation {
  readonly #options: ConversationOptions;
  readonly #senders = new Map<string, Person>();
  readonly #wire = new ToWire(this.#senders);
  readonly #silence: ModelSilence;
  #agent: AgentRun<DroneToolContext> | undefined;
  #early: Steer[] = [];
  #finishing = false;
  #window: ModelWindow | undefined;
  #summaries = 0;

  constructor(options: ConversationOptions) {
    this.#options = options;
    const { clock, signal, emit } = options;
    this.#silence = new ModelSilence({ clock, signal, emit });
  }

  steer(message: Steer, by: Person): void {
    this.#senders.set(message.messageId, by);
    if (this.#agent === undefined) {
      this.#early.push(message);
    } else {
      this.#agent.steer(message);
    }
  }

  finish(): void {
    this.#finishing = true;
    this.#agent?.finish();
  }

  cancelTool(callId: CallId): boolean {
    const call = callOf(callId);
    return this.#agent?.cancelTool(call.callId, call.agentId) ?? false;
  }

  /** Runs to the end; gives what a person should know where the model failed. */
  async run(place: ConversationPlace): Promise<string | undefined> {
    const { order, getHistory, signal } = this.#options;
    const past = await readHistory(order.history, getHistory, signal);
    const system = await instructions(place.workspace, order.approval);
    signal.throwIfAborted();
    const agent = await this.#createAgent(place, past, fromWire(order, past, system), system);
    signal.throwIfAborted();
    this.#agent = agent;
    for (const message of this.#early.splice(0)) {
      agent.steer(message);
    }
    if (this.#finishing) {
      agent.finish();
    }
    try {
      const { failure } = await agent.run();
      return failure?.detail === undefined
        ? failure?.message
        : `${failure.message} (${failure.detail})`;
    } finally {
      this.#silence.stop();
    }
  }

  /** Summarises all that was said; gives what a person should know where that failed. */
  async compact(place: ModelPlace): Promise<string | undefined> {
    const { order, getHistory, signal } = this.#options;
    const past = await readHistory(order.history, getHistory, signal);
    if (past.every(({ role }) => role === "note")) {
      this.#notice("info", "compaction", "There is nothing to compact yet.");
      return undefined;
    }
    const messages: AiMessage[] = [{ role: "system", content: "" }, ...past.map(toMessage)];
    const window = await this.#lookAt(place);
    const history = this.#historyOf(place.provider, window, past, messages);
    const failure = await history.compactAll(messages, signal);
    return failure?.message;
  }

  async #createAgent(
    place: ConversationPlace,
    past: readonly HistoryMessage[],
    messages: AiMessage[],
    system: string,
  ): Promise<AgentRun<DroneToolContext>> {
    const { order, tools, signal, authorize, log } = this.#options;
    const { provider, contextFor } = place;
    const window = await this.#lookAt(place);
    const history = this.#historyOf(provider, window, past, messages);
    const notice = this.#notice.bind(this);
    return new AgentRun<DroneToolContext>({
      provider,
      model: order.model,
      signal,
      messages,
      tools,
      contextFor,
      authorize,
      emit: (event) => this.#tell(event, place),
      prepareHistory: (sent, _, refused) => history.prepare(sent, signal, refused),
      parameters: parametersOf(order.provider),
      onUsage: (usage) => history.counted(usage),
      resultLimit: history.resultLimit,
      subagents: {
        tools: tools.filter(({ name }) => name !== "ask_user"),
        system: `${system}\n\n${subagentInstructions}`,
        ...childHistory(window, tools),
      },
      onAbortTimeout: ({ name }) => notice("warning", "abort", `${name} does not stop.`),
      onLateResult: (tool) => log.warn(tool, "A tool ended after its turn"),
    });
  }

  /** Ollama is told before its first request how much the model shall be able to read. */
  async #lookAt({ provider, knownModels: known }: ModelPlace): Promise<ModelWindow> {
    const { order, signal } = this.#options;
    const { model, provider: access } = order;
    const window = new ModelWindow({ provider, access, model, known });
    this.#window = window;
    if (access.kind === "ollama") {
      await window.look(signal);
    }
    return window;
  }

  #historyOf(
    provider: AiProvider,
    window: ModelWindow,
    past: readonly HistoryMessage[],
    messages: readonly AiMessage[],
  ): CompactingHistory {
    const { order, tools } = this.#options;
    return new CompactingHistory({
      provider,
      model: order.model,
      tools,
      window,
      notice: this.#notice.bind(this),
      mayCut: (index) => index > past.length || beginsTurn(past, index - 1),
      summarising: () => this.#summarising(),
      onUsage: (usage, isUsed) => this.#summaryUsage(usage, isUsed),
      onCompacted: (summary, replaced) => this.#compacted(summary, replaced, past, messages),
    });
  }

  #compacted(
    summary: string,
    replaced: number,
    past: readonly HistoryMessage[],
    messages: readonly AiMessage[],
  ): void {
    const { turnId } = this.#options.order;
    // The instructions come before the history, the prompt after it.
    const before = 1 + past.length;
    if (replaced <= before) {
      const throughTurnId = lastWholeTurn(past, replaced - 1);
      if (throughTurnId === undefined) {
        return;
      }
      this.#options.emit({ type: "history:compacted", summary, throughTurnId });
      return;
    }
    const answers = messages.slice(before, replaced).filter(({ role }) => role === "assistant");
    const throughStep = answers.length;
    this.#options.emit({ type: "history:compacted", summary, throughTurnId: turnId, throughStep });
  }

  /** A notice while a summary is written, which becomes the notice of how that ended. */
  #summarising(): (level: "info" | "warning", text: string) => void {
    this.#summaries += 1;
    const part = { partId: `compaction-${this.#summaries}`, code: "compaction" };
    const say = (phase: "start" | "end", level: "info" | "warning", text: string) =>
      this.#options.emit({ type: "notice", ...part, phase, level, text });
    say("start", "info", "Summarising the oldest part of the conversation...");
    return (level, text) => say("end", level, text);
  }

  /** Counted for the turn, but it says nothing of how full the conversation's context is. */
  #summaryUsage(usage: AiUsage, isUsed: boolean): void {
    const contextWindow = this.#window?.contextLength;
    // Of a session that was compacted as a whole the summary is all that is left.
    const left = this.#options.order.compact === true && isUsed;
    const meter =
      left && contextWindow !== undefined
        ? { contextTokens: usage.outputTokens, contextWindow }
        : {};
    for (const body of this.#wire.translate({ type: "usage", usage }, "compaction")) {
      if (body.type === "usage") {
        this.#options.emit({ ...body, usage: { ...body.usage, ...meter } });
      }
    }
  }

  #notice(level: "info" | "warning", code: string, text: string): void {
    this.#options.emit({ type: "notice", level, code, text });
  }

  /** Each step waits for room: this is where an agent is slowed down. */
  #tell(event: AgentEvent, { room }: ConversationPlace): void | Promise<void> {
    return event.type === "step" ? room().then(() => this.#emit(event)) : this.#emit(event);
  }

  #emit(event: AgentEvent): void {
    const call = this.#silence.follow(event);
    for (const body of this.#wire.translate(this.#withWindow(event))) {
      this.#options.emit(body.type === "usage" && call !== undefined ? { ...body, call } : body);
    }
  }

  #withWindow(event: AgentEvent): AgentEvent {
    const contextLength = this.#window?.contextLength;
    if (event.type !== "usage" || contextLength === undefined) {
      return event;
    }
    return { ...event, usage: { contextLength, ...event.usage } };
  }
}

function parametersOf({ reasoningEffort }: WorkOrder["provider"]): AiParameters {
  if (reasoningEffort === undefined) {
    return {};
  }
  return { reasoningEffort: reasoningEffort === "off" ? "none" : reasoningEffort };
}
