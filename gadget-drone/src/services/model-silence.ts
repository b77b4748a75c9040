import type { AgentEvent } from "@gadget/agent";
import type { TurnEventBody } from "@gadget/api";
import type { Clock } from "../clock.ts";

/** Shorter than this, nobody needs to hear of it. */
const silentMs = 2_000;

interface Asked {
  name: string;
  /** It waits by agreement: the provider asked for it, and the page counts it down. */
  backingOff?: boolean;
  told?: boolean;
}

export interface ModelSilenceOptions {
  clock: Clock;
  signal: AbortSignal;
  emit: (event: TurnEventBody) => void;
}

/**
 * Says, once a silence, that a model which was asked says nothing: before its first word or in the
 * middle of an answer. While any of a turn's agents is answered the turn is not silent.
 */
export class ModelSilence {
  readonly #options: ModelSilenceOptions;
  readonly #asked = new Map<string, Asked>();
  #calls = 0;
  #heardAt = 0;
  #cancel: (() => void) | undefined;

  constructor(options: ModelSilenceOptions) {
    this.#options = options;
  }

  /** Gives the name of a call that has ended, where its silence was told. */
  follow(event: AgentEvent, agentId = ""): string | undefined {
    const asked = this.#asked.get(agentId);
    switch (event.type) {
      case "subagent:event":
        return this.follow(event.event, event.childId);
      case "step": {
        this.#calls += 1;
        const name = `model-${this.#calls}`;
        this.#asked.set(agentId, { name });
        return this.#hear();
      }
      case "backoff:start":
        if (asked !== undefined) {
          asked.backingOff = true;
        }
        return this.#hear();
      case "backoff:end":
        if (asked !== undefined) {
          asked.backingOff = false;
        }
        return this.#hear();
      case "text:start":
      case "text:delta":
      case "text:end":
      case "reasoning:start":
      case "reasoning:delta":
      case "reasoning:end":
      case "toolcall:start":
      case "toolcall:delta":
      case "toolcall:end":
        return this.#hear();
      case "usage":
        this.#asked.delete(agentId);
        if (this.#asked.size === 0) {
          this.stop();
        }
        return asked?.told === true ? asked.name : undefined;
      default:
        return undefined;
    }
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #hear(): undefined {
    const { clock } = this.#options;
    this.#heardAt = clock.now();
    this.#cancel ??= clock.after(silentMs, () => this.#look());
  }

  /** One timer serves any number of tokens: it looks how long ago the latest one was. */
  #look(): void {
    const { clock, signal, emit } = this.#options;
    this.#cancel = undefined;
    const ms = clock.now() - this.#heardAt;
    if (signal.aborted) {
      return;
    }
    if (ms < silentMs) {
      this.#cancel = clock.after(silentMs - ms, () => this.#look());
      return;
    }
    const silent = [...this.#asked.values()].find(({ backingOff }) => backingOff !== true);
    if (silent === undefined) {
      return;
    }
    silent.told = true;
    const waiting = { ms: Math.round(ms) };
    const part = { partId: silent.name, phase: "delta", level: "info", code: "model" } as const;
    emit({ type: "notice", ...part, text: "Waiting for the model.", waiting });
  }
}
