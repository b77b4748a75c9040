import type { AiAssistantMessage, AiEvent, AiFinishReason } from "../api.ts";
import type { AnswerOrder } from "../backend.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { FrameReader } from "../exchange/frame-reader.ts";
import { classifyFault } from "../failure/classify-fault.ts";
import { type AiFailure, makeFailure } from "../failure/failure.ts";
import type { Answer } from "./answer.ts";

/** How long a server may still take for its token counts once it has given the finish reason. */
const silenceAfterFinishMs = 5_000;

/** One request and its answer, read as it comes; expected failures are kept as a value. */
export class ReadAnswer {
  failure: AiFailure | undefined;
  /** Set when the answer is complete: it has a finish reason. */
  done: { reason: AiFinishReason; message: AiAssistantMessage } | undefined;
  /** The server took the request, so its tokens count. */
  accepted = false;
  readonly #order: AnswerOrder;
  readonly #answer: Answer;
  readonly #exchange: Exchange;
  #frames: FrameReader | undefined;

  constructor(order: AnswerOrder, answer: Answer) {
    this.#order = order;
    this.#answer = answer;
    this.#exchange = order.openExchange();
  }

  /** The next events, or undefined when there will be none: ended, failed or aborted. */
  async next(): Promise<AiEvent[] | undefined> {
    if (this.#over) {
      return undefined;
    }
    this.#frames ??= await this.#send();
    if (!this.#frames || this.#over) {
      return undefined;
    }
    const text = await this.#read();
    if (this.#over) {
      return undefined;
    }
    this.#decode(text, this.#frames);
    if (text === undefined || this.#answer.closed || this.#answer.failure) {
      this.#conclude();
    }
    return this.#answer.take();
  }

  /** Closes the connection unless the answer was read to its end. */
  close(): void {
    this.#exchange.close();
  }

  get #over(): boolean {
    return Boolean(this.#order.signal.aborted || this.failure || this.done);
  }

  async #send(): Promise<FrameReader | undefined> {
    const { dialect, subject, signal } = this.#order;
    try {
      await dialect.send(this.#exchange);
    } catch (error) {
      if (!this.#exchange.fault && !signal.aborted) {
        throw error;
      }
      this.failure = this.#fault();
      return undefined;
    }
    this.accepted = true;
    const type = this.#exchange.contentType;
    if (type.includes("text/html")) {
      this.failure = makeFailure("protocol", {
        message: `${subject.baseUrl} answered with a web page. Check the base URL.`,
      });
      return undefined;
    }
    return dialect.frames(type);
  }

  /** A connection that breaks after the finish reason takes nothing away from the answer. */
  async #read(): Promise<string | undefined> {
    try {
      return await this.#exchange.read();
    } catch {
      this.failure = this.#answer.reason ? undefined : this.#fault();
      return undefined;
    }
  }

  #decode(text: string | undefined, frames: FrameReader): void {
    const answer = this.#answer;
    let list: string[];
    try {
      list = text === undefined ? frames.rest() : frames.push(text);
    } catch (error) {
      answer.failure = makeFailure("protocol", { detail: String(error) });
      return;
    }
    const unfinished = answer.reason === undefined;
    for (const frame of list) {
      this.#order.dialect.decode(frame, answer);
      if (answer.failure || answer.closed) {
        return;
      }
    }
    if (unfinished && answer.reason) {
      this.#exchange.allowSilence(silenceAfterFinishMs);
    }
  }

  #conclude(): void {
    const answer = this.#answer;
    if (answer.failure) {
      this.failure = answer.failure;
    } else if (!answer.reason) {
      this.failure = makeFailure("protocol", {
        message: "The provider ended the answer without a finish reason. Send again.",
      });
    } else if (answer.hasNamelessCall) {
      this.failure = makeFailure("protocol", {
        message: "The model called a tool without a name. Send again or choose another model.",
      });
    } else {
      this.done = { reason: answer.reason, message: answer.complete() };
      this.#exchange.release();
    }
  }

  #fault(): AiFailure | undefined {
    const { fault } = this.#exchange;
    return fault && classifyFault(fault, this.#order.subject);
  }
}
