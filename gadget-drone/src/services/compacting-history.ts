import {
  type AiMessage,
  type AiProvider,
  type AiTool,
  type AiUsage,
  compactHistory,
  measureContext,
} from "@gadget/ai";

export interface CompactingHistoryOptions {
  provider: AiProvider;
  model: string;
  tools: readonly AiTool[];
  notice: (level: "info" | "warning", code: string, text: string) => void;
  onUsage: (usage: AiUsage) => void;
  /** The summary stands for the first `replaced` messages of the conversation. */
  onCompacted: (summary: string, replaced: number) => void;
}

/** Below this no model is asked how much it can read: all of them can read this much. */
const smallTokens = 12_000;
const usualContext = 128_000;
const lookupMs = 5_000;
/** After a failure the next try waits for this many messages. */
const patience = 10;

/**
 * What of a long conversation is sent: where it comes near the model's limit, its oldest part is
 * replaced by a summary. What is stored stays whole.
 */
export class CompactingHistory {
  readonly #options: CompactingHistoryOptions;
  #contextLength: number | undefined;
  /** The first `replaced` messages are sent as `head`. */
  #replaced = 0;
  #head: AiMessage[] = [];
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(options: CompactingHistoryOptions) {
    this.#options = options;
  }

  async prepare(
    messages: readonly AiMessage[],
    signal: AbortSignal,
  ): Promise<readonly AiMessage[]> {
    const { provider, model, tools, notice, onUsage, onCompacted } = this.#options;
    const current = [...this.#head, ...messages.slice(this.#replaced)];
    const { tokens } = measureContext({ messages: current, tools, contextLength: usualContext });
    if (tokens < smallTokens || messages.length < this.#failedAt + patience) return current;
    const contextLength = await this.#lookUp(signal);
    const compaction = await compactHistory({
      signal,
      provider,
      model,
      messages: current,
      tools,
      contextLength,
    });
    if (compaction.outcome === "unneeded" || signal.aborted) return current;
    if (compaction.outcome === "failed") {
      this.#failedAt = messages.length;
      const why = compaction.failure.message;
      notice("warning", "compaction", `The long history could not be summarised: ${why}`);
      return current;
    }
    const kept = current.length - compaction.replaced;
    this.#replaced = messages.length - kept;
    this.#head = compaction.messages.slice(0, compaction.messages.length - kept);
    onUsage(compaction.usage);
    onCompacted(compaction.summary, this.#replaced);
    notice(
      "info",
      "compaction",
      "The oldest part of the conversation was summarised for the model.",
    );
    return compaction.messages;
  }

  async #lookUp(signal: AbortSignal): Promise<number> {
    if (this.#contextLength === undefined) {
      const { provider, model } = this.#options;
      const limited = AbortSignal.any([signal, AbortSignal.timeout(lookupMs)]);
      const listed = await provider.listModels({ signal: limited });
      const found = listed.ok ? listed.value.find(({ id }) => id === model) : undefined;
      this.#contextLength = found?.contextLength ?? usualContext;
    }
    return this.#contextLength;
  }
}
