import {
  type AgentEvent,
  AgentRun,
  type Authorize,
  type Steer,
  type ToolContext,
} from "@gadget/agent";
import type { AiProvider } from "@gadget/ai";
import type { CallId, HistoryMessage, Person, TurnEventBody, WorkOrder } from "@gadget/api";
import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import { fromWire } from "../from-wire.ts";
import { instructions, subagentInstructions } from "../instructions.ts";
import { ModelSilence } from "../model-silence.ts";
import { callOf, ToWire } from "../to-wire.ts";
import type { DroneTool, DroneToolContext } from "../tools/tool-context.ts";
import { CompactingHistory } from "./compacting-history.ts";
import { lastWholeTurn } from "./last-whole-turn.ts";
import { type GetHistory, readHistory } from "./read-history.ts";

export interface ConversationOptions {
  order: WorkOrder;
  tools: readonly DroneTool[];
  signal: AbortSignal;
  emit: (event: TurnEventBody) => void;
  authorize: Authorize;
  clock: Clock;
  log: Logger;
}

/** What there is once the workspace is open. */
export interface ConversationPlace {
  provider: AiProvider;
  workspace: string;
  contextFor: (base: ToolContext) => DroneToolContext;
  getHistory: GetHistory;
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

  constructor(options: ConversationOptions) {
    this.#options = options;
    const { clock, signal, emit } = options;
    this.#silence = new ModelSilence({ clock, signal, emit });
  }

  steer(message: Steer, by: Person): void {
    this.#senders.set(message.messageId, by);
    if (this.#agent === undefined) this.#early.push(message);
    else this.#agent.steer(message);
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
    const { order, signal } = this.#options;
    const past = await readHistory(order.history, place.getHistory, signal);
    const system = await instructions(place.workspace, order.approval);
    signal.throwIfAborted();
    const agent = this.#createAgent(place, past, fromWire(order, past, system), system);
    this.#agent = agent;
    const events = agent.events();
    for (const message of this.#early.splice(0)) agent.steer(message);
    if (this.#finishing) agent.finish();
    try {
      for await (const event of events) {
        this.#emit(event);
        if (event.type !== "end" || event.failure === undefined) continue;
        const { message, detail } = event.failure;
        return detail === undefined ? message : `${message} (${detail})`;
      }
      return undefined;
    } finally {
      this.#silence.stop();
    }
  }

  #createAgent(
    { provider, contextFor, room }: ConversationPlace,
    past: readonly HistoryMessage[],
    messages: ReturnType<typeof fromWire>,
    system: string,
  ): AgentRun<DroneToolContext> {
    const { order, tools, signal, authorize, log } = this.#options;
    const { model } = order;
    const notice = (level: "info" | "warning", code: string, text: string) =>
      this.#options.emit({ type: "notice", level, code, text });
    const onUsage = (usage: (AgentEvent & { type: "usage" })["usage"]) =>
      this.#emit({ type: "usage", usage });
    const onCompacted = (summary: string, replaced: number) => {
      // The instructions come before the history.
      const throughTurnId = lastWholeTurn(past, replaced - 1);
      if (throughTurnId === undefined) return;
      this.#options.emit({ type: "history:compacted", summary, throughTurnId });
    };
    const history = new CompactingHistory({
      provider,
      model,
      tools,
      notice,
      onUsage,
      onCompacted,
    });
    return new AgentRun<DroneToolContext>({
      provider,
      model,
      signal,
      messages,
      tools,
      contextFor,
      authorize,
      prepareHistory: async (sent) => {
        await room();
        return history.prepare(sent, signal);
      },
      subagents: {
        tools: tools.filter(({ name }) => name !== "ask_user"),
        system: `${system}\n\n${subagentInstructions}`,
      },
      onAbortTimeout: ({ name }) => notice("warning", "abort", `${name} does not stop.`),
      onLateResult: (tool) => log.warn(tool, "A tool ended after its turn"),
    });
  }

  #emit(event: AgentEvent): void {
    const call = this.#silence.follow(event);
    for (const body of this.#wire.translate(event)) {
      this.#options.emit(body.type === "usage" && call !== undefined ? { ...body, call } : body);
    }
  }
}
