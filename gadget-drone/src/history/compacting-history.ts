import type { ResultLimit } from "@gadget/agent";
import {
  type AiFailure,
  type AiMessage,
  type AiProvider,
  type AiResult,
  type AiTool,
  type AiUsage,
  compactHistory,
  makeFailure,
  measureContext,
} from "@gadget/ai";
import { summaryNote } from "@gadget/api";
import { charactersPerToken, fitResults, tokensOf } from "./fit-results.ts";
import { noteText } from "./from-wire.ts";
import type { ModelWindow } from "./model-window.ts";
import { hasImage, withoutImages } from "./without-images.ts";

export interface CompactingHistoryOptions {
  provider: AiProvider;
  model: string;
  tools: readonly AiTool[];
  window: ModelWindow;
  /** Whether a summary may end before this message of the conversation. */
  mayCut: (index: number) => boolean;
  notice: (level: "info" | "warning", code: string, text: string) => void;
  /** Says that the oldest part is being summarised; what it gives says how that ended. */
  summarising: () => (level: "info" | "warning", text: string) => void;
  /** What a summary took, whether or not it is used. */
  onUsage: (usage: AiUsage, isUsed: boolean) => void;
  /** The summary stands for the first `replaced` messages of the conversation. */
  onCompacted: (summary: string, replaced: number) => void;
}

type Prepared = AiResult<readonly AiMessage[]>;

/** Below this no model is asked how much it can read: nearly all of them can read this much. */
const smallTokens = 3_000;
/** How full the context may be before its oldest part is summarised. */
const fullShare = 0.8;
/** How full it may be when nothing more can be summarised: the answer has to fit too. */
const fullestShare = 0.9;
/** After a refusal, which counted better than we did. */
const refusedShare = 0.7;
/** After a failure the next try waits for this many messages. */
const patience = 10;
const fewestCharacters = 3_000;
/** Where a refusal does not say how much can be read, it is this much of what was refused. */
const likelyShare = 0.7;
const mostRefusedSummaries = 3;
const notShorter =
  "A summary would not be shorter than what it stands for, so the history stays as it is.";
const nothingToShorten = "There is nothing to shorten yet.";

/**
 * What of a long conversation is sent: where it comes near the model's limit, its oldest part is
 * replaced by a summary, and results that don't fit are shortened. What is stored stays whole.
 */
export class CompactingHistory {
  readonly #options: CompactingHistoryOptions;
  readonly #shortened = new WeakMap<AiMessage, AiMessage>();
  /** The first `replaced` messages are sent as `head`. */
  #replaced = 0;
  #head: AiMessage[] = [];
  #failedAt = Number.NEGATIVE_INFINITY;
  #sent: readonly AiMessage[] = [];
  /** What the server counted of what was sent last, and of its answer. */
  #counted: { usage: AiUsage; messages: number } | undefined;
  #toldBlind = false;

  constructor(options: CompactingHistoryOptions) {
    this.#options = options;
  }

  async prepare(
    messages: readonly AiMessage[],
    signal: AbortSignal,
    refused?: AiFailure,
  ): Promise<Prepared> {
    const { window } = this.#options;
    if (refused?.kind === "no_images") {
      window.learn({ images: false });
    }
    const tooLong = refused?.kind === "context_too_long" ? refused : undefined;
    if (tooLong !== undefined) {
      this.#learn(tooLong);
    }
    const current = await this.#seen(this.#current(messages), signal);
    // Asked at once and not waited for: the first result of a tool may need it.
    const facts = window.look(signal);
    facts.catch(() => {});
    const prepared =
      tooLong === undefined && this.#measure(current) < smallTokens
        ? ({ ok: true, value: current } as const)
        : await this.#fit(messages, current, (await facts).contextLength, tooLong, signal);
    if (prepared.ok) {
      this.#sent = prepared.value;
      this.#counted = undefined;
    }
    return prepared;
  }

  /** What the server counted of the request that was prepared last. */
  counted(usage: AiUsage): void {
    const { window, tools } = this.#options;
    if (!window.counted(usage, { messages: this.#sent, tools })) {
      return;
    }
    this.#counted = { usage, messages: this.#sent.length + 1 };
  }

  /** A share of what is left, so that what follows a large result still has room. */
  readonly resultLimit: ResultLimit = async ({ characters, atOnce }, signal) => {
    const { window } = this.#options;
    const { contextLength } = await window.look(signal);
    const { usage } = this.#counted ?? {};
    const used =
      usage === undefined ? this.#measure(this.#sent) : usage.inputTokens + usage.outputTokens;
    const left = contextLength * fullShare - used;
    const room = (left / window.ratio) * charactersPerToken - characters;
    return Math.max(fewestCharacters, Math.floor(room / (atOnce + 1)));
  };

  /** Summarises all of it, however short; gives why that failed. */
  async compactAll(
    messages: readonly AiMessage[],
    signal: AbortSignal,
  ): Promise<AiFailure | undefined> {
    const { contextLength } = await this.#options.window.look(signal);
    const how = { cut: messages.length };
    return (await this.#compact(messages, messages, contextLength, signal, how)).failure;
  }

  #current(messages: readonly AiMessage[]): readonly AiMessage[] {
    const rest = messages.slice(this.#replaced);
    return [...this.#head, ...rest].map((message) => this.#shortened.get(message) ?? message);
  }

  async #seen(messages: readonly AiMessage[], signal: AbortSignal): Promise<readonly AiMessage[]> {
    if (!messages.some(hasImage)) {
      return messages;
    }
    const { window, notice } = this.#options;
    if ((await window.look(signal)).images !== false) {
      return messages;
    }
    if (!this.#toldBlind) {
      this.#toldBlind = true;
      notice("warning", "images", "The model can't see images: they are left out, and it is told.");
    }
    return withoutImages(messages);
  }

  #learn({ contextLength }: AiFailure): void {
    const { window } = this.#options;
    const measured = this.#measure(this.#sent);
    const length = contextLength ?? Math.floor(measured * likelyShare);
    window.learn({ contextLength: length });
    // It was more than this, whatever it was estimated to be.
    window.ratio *= Math.max(1, length / measured);
  }

  #measure(messages: readonly AiMessage[]): number {
    const { tools, window } = this.#options;
    const counted = this.#counted;
    const { ratio } = window;
    const measured = { messages, tools, contextLength: 1, ratio };
    return measureContext({ ...measured, ...(counted && { counted }) }).tokens;
  }

  async #fit(
    messages: readonly AiMessage[],
    current: readonly AiMessage[],
    contextLength: number,
    refused: AiFailure | undefined,
    signal: AbortSignal,
  ): Promise<Prepared> {
    const before = tokensOf(current);
    const mayTry = refused !== undefined || messages.length >= this.#failedAt + patience;
    const threshold = refused === undefined ? fullShare : 0;
    const tried = mayTry
      ? await this.#compact(messages, current, contextLength, signal, { threshold })
      : { messages: current, failure: undefined };
    if (signal.aborted) {
      return { ok: false, failure: makeFailure("aborted") };
    }
    const share = refused === undefined ? fullestShare : refusedShare;
    const { ratio } = this.#options.window;
    const compacted = tried.messages;
    const total = this.#measure(compacted);
    if (total <= contextLength * share) {
      return { ok: true, value: compacted };
    }
    const tools = total / ratio - tokensOf(compacted);
    const room = (contextLength * share) / ratio - Math.max(0, tools);
    const fitted = fitResults(compacted, room, this.#shortened);
    if (fitted !== undefined) {
      // What was counted is not what is sent now.
      this.#counted = undefined;
      return { ok: true, value: fitted };
    }
    if (refused !== undefined && tokensOf(compacted) < before) {
      return { ok: true, value: compacted };
    }
    if (tried.failure !== undefined && total > contextLength) {
      const why = `The conversation is longer than the model can read, and it could not be summarised: ${tried.failure.message}`;
      return { ok: false, failure: { ...tried.failure, message: why } };
    }
    return this.#unsendable(compacted, contextLength, refused, signal);
  }

  /** Whether it is sent all the same: an estimate alone refuses only what is far too long. */
  async #unsendable(
    messages: readonly AiMessage[],
    contextLength: number,
    refused: AiFailure | undefined,
    signal: AbortSignal,
  ): Promise<Prepared> {
    const { assumed } = await this.#options.window.look(signal);
    const beside = messages.filter(({ role }) => role !== "tool");
    const tokens = this.#measure(beside);
    if (refused === undefined && (assumed === true || tokens <= contextLength)) {
      return { ok: true, value: messages };
    }
    const asked = messages.filter((message) => message.role === "user" && message.pinned === true);
    const promptTokens = Math.ceil(tokensOf(asked) * this.#options.window.ratio);
    const limit = contextLength.toLocaleString("en");
    const message =
      promptTokens > contextLength / 2
        ? `The prompt is longer than the model can read: about ${promptTokens.toLocaleString("en")} of ${limit} tokens. Shorten it, put the text into a file of the workspace, or choose a model with a longer context.`
        : `The model can read ${limit} tokens, and the conversation needs about ${tokens.toLocaleString("en")} even when it is shortened. Choose a model with a longer context, or set a longer one where the model is served.`;
    const { detail } = refused ?? {};
    const failure = makeFailure("context_too_long", {
      message,
      ...(detail !== undefined && { detail }),
    });
    return { ok: false, failure };
  }

  async #compact(
    messages: readonly AiMessage[],
    current: readonly AiMessage[],
    contextLength: number,
    signal: AbortSignal,
    how: { threshold: number } | { cut: number },
  ): Promise<{ messages: readonly AiMessage[]; failure?: AiFailure | undefined }> {
    const { provider, model, tools, window, mayCut, notice, onUsage } = this.#options;
    const offset = messages.length - current.length;
    const counted = this.#counted;
    let done: ((level: "info" | "warning", text: string) => void) | undefined;
    let readable = contextLength;
    for (let tries = 1; ; tries += 1) {
      const compaction = await compactHistory({
        ...how,
        signal,
        provider: withStart(provider, () => {
          done ??= this.#options.summarising();
        }),
        model,
        messages: current,
        tools,
        contextLength: readable,
        ratio: window.ratio,
        mayCut: (index) => index >= this.#head.length && mayCut(index + offset),
        wording: (summary) => noteText(summaryNote(summary)),
        ...(counted && { counted }),
      });
      if (compaction.outcome === "unneeded") {
        if ("cut" in how) {
          notice("info", "compaction", nothingToShorten);
        }
        return { messages: current };
      }
      if (compaction.outcome === "longer") {
        this.#failedAt = messages.length;
        onUsage(compaction.usage, false);
        if ("cut" in how) {
          done?.("info", nothingToShorten);
          return { messages: current };
        }
        done?.("warning", `The long history could not be summarised: ${notShorter}`);
        return { messages: current, failure: makeFailure("protocol", { message: notShorter }) };
      }
      if (compaction.outcome === "compacted") {
        const kept = current.length - compaction.replaced;
        this.#replaced = messages.length - kept;
        this.#head = compaction.messages.slice(0, compaction.messages.length - kept);
        this.#counted = undefined;
        onUsage(compaction.usage, true);
        this.#options.onCompacted(compaction.summary, this.#replaced);
        done?.("info", "The oldest part of the conversation was summarised for the model.");
        return { messages: compaction.messages };
      }
      const { failure } = compaction;
      const isTooLong = failure.kind === "context_too_long" && tries < mostRefusedSummaries;
      if (isTooLong && !signal.aborted) {
        readable = Math.min(failure.contextLength ?? readable, readable / 2);
        window.learn({ contextLength: Math.floor(readable) });
        continue;
      }
      this.#failedAt = messages.length;
      const why = signal.aborted ? "stopped" : failure.message;
      done?.("warning", `The long history could not be summarised: ${why}`);
      return { messages: current, failure };
    }
  }
}

/** The same provider; says when it is first asked for a summary. */
function withStart(provider: AiProvider, start: () => void): AiProvider {
  return {
    ...provider,
    generate: (options) => {
      start();
      return provider.generate(options);
    },
  };
}
