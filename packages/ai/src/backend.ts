import type { Answer } from "./answer/answer.ts";
import type { AiMessage, AiModel, AiParameters, AiResult, IAiChatOptions } from "./api.ts";
import type { Exchange } from "./exchange/exchange.ts";
import type { FrameReader } from "./exchange/frame-reader.ts";
import type { Subject } from "./failure/classify-fault.ts";
import type { RetryTable } from "./failure/retry-table.ts";

/** What one provider contributes to an answer; abort, retry and completeness are the same for all. */
interface Dialect {
  /** Sends the request; resolves when the headers are in. */
  send(exchange: Exchange): Promise<void>;
  frames(contentType: string): FrameReader;
  /** Reads one frame into the answer; what is not of the API becomes the answer's failure. */
  decode(frame: string, answer: Answer): void;
}

export interface AnswerOrder {
  signal: AbortSignal;
  messages: readonly AiMessage[];
  subject: Subject;
  dialect: Dialect;
  openExchange(): Exchange;
  /** What the request costs to read, where the server does not count. */
  estimateInput(): number;
  /** What the request asks for, where a provider lets us ask. */
  contextLength?: number | undefined;
  retry: RetryTable;
}

/** What differs between the APIs; everything else about a provider is the same for all. */
export interface Backend {
  dialect(options: IAiChatOptions, stream: boolean): Dialect;
  /** The context length that requests ask for, if the API lets us ask. */
  contextLength(model: string, parameters: AiParameters | undefined): number | undefined;
  /** Undefined: the server does not know it, or could not be asked. */
  describeModel(signal: AbortSignal, model: string): Promise<AiModel | undefined>;
  listModels(signal: AbortSignal): Promise<AiResult<AiModel[]>>;
}
