import type { Agent } from "node:http";
import { streamAnswer } from "./answer/stream-answer.ts";
import type {
  AiAnswer,
  AiEvent,
  AiModelFacts,
  AiProvider,
  AiResult,
  AiTestReport,
  IAiChatOptions,
  IAiGenerateOptions,
} from "./api.ts";
import type { Backend } from "./backend.ts";
import { Connection } from "./exchange/connection.ts";
import { type RetryTable, retryTable } from "./failure/retry-table.ts";
import { estimateTokens, estimateTools } from "./history/measure-context.ts";
import { knownServers } from "./known-servers.ts";
import { normaliseBaseUrl } from "./normalise-base-url.ts";
import { createOllama } from "./ollama.ts";
import { createOpenAi } from "./openai.ts";

export interface AiProviderConfig {
  kind: "openai" | "ollama";
  /** Defaults to OpenAI's, or to the local Ollama. */
  baseUrl?: string;
  apiKey?: string;
  headers?: Record<string, string>;
  /** How much a model may be given to read, as a person has set it; else the server's own word. */
  contextLength?: number;
  keepAlive?: string | number;
  connectTimeoutMs?: number;
  /** How long the server may be silent, before the first byte too. */
  idleTimeoutMs?: number;
  /** The way to it, where that is no direct one: a proxy. Made for this provider, closed with it. */
  agentFor?: (baseUrl: string) => Agent | undefined;
  /** Replaces the rows of the table that it names. */
  retry?: RetryTable;
}

/** Models of which nobody says it. */
const usualContextLength = 128_000;

/** A provider for one order. Cheap to make: nothing is opened or loaded before the first request. */
export function createProvider(config: AiProviderConfig): AiProvider {
  const baseUrl = normaliseBaseUrl(config.kind, config.baseUrl);
  const known = knownServers.find((server) => server.baseUrl === baseUrl);
  const connection = new Connection({
    ...config,
    baseUrl,
    headers: { ...known?.headers, ...config.headers },
  });
  const backend =
    config.kind === "ollama" ? createOllama(connection, config) : createOpenAi(connection);
  const retry = { ...retryTable, ...config.retry };

  const answer = (options: IAiChatOptions, stream: boolean, rows: RetryTable) =>
    streamAnswer({
      signal: options.signal,
      messages: options.messages,
      subject: connection.subject(options.model),
      dialect: backend.dialect(options, stream),
      openExchange: () =>
        connection.open(options.signal, stream ? "text/event-stream" : "application/json"),
      estimateInput: () => estimateTokens(options.messages) + estimateTools(options.tools ?? []),
      contextLength: backend.contextLength(options.model, options.parameters),
      retry: rows,
    });

  const describeModel: AiProvider["describeModel"] = async ({ signal, model }) => {
    const described = await backend.describeModel(signal, model);
    const said = backend.contextLength(model, undefined) ?? config.contextLength;
    const length = said ?? described?.contextLength;
    const facts: AiModelFacts = {
      ...described,
      id: model,
      contextLength: length ?? known?.contextLength ?? usualContextLength,
    };
    return length === undefined ? { ...facts, assumed: true } : facts;
  };

  return {
    describeModel,
    chat: (options) => answer(options, true, retry),
    generate: (options) => collect(answer(options, options.stream ?? true, retry), options),
    listModels: ({ signal }) => backend.listModels(signal),
    test: (options) => testProvider(backend, options, (chat) => collect(answer(chat, true, {}))),
    close: () => connection.close(),
  };
}

async function collect(
  events: AsyncIterable<AiEvent>,
  options?: IAiGenerateOptions,
): Promise<AiAnswer> {
  for await (const event of events) {
    options?.onEvent?.(event);
    if (event.type === "end") {
      const { reason, message, usage } = event;
      const texts = message.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
      return { ok: true, text: texts.join(""), reason, message, usage };
    }
    if (event.type === "failure") {
      const { failure, message, usage } = event;
      return { ok: false, failure, message, usage };
    }
  }
  throw new Error("An answer ended without its last event.");
}

/** A server that lists no models is asked for a word by the model instead. */
async function testProvider(
  backend: Backend,
  { signal, model }: { signal: AbortSignal; model?: string },
  ask: (options: IAiChatOptions) => Promise<AiAnswer>,
): Promise<AiResult<AiTestReport>> {
  const start = performance.now();
  const listed = await backend.listModels(signal);
  const tookMs = () => Math.round(performance.now() - start);
  if (listed.ok) {
    const models = listed.value;
    const modelFound =
      model === undefined
        ? undefined
        : models.some(({ id }) => id === model || id === `${model}:latest`);
    const found = modelFound !== undefined && { modelFound };
    return { ok: true, value: { models, ...found, tookMs: tookMs() } };
  }
  if (listed.failure.kind !== "not_found" || model === undefined) {
    return listed;
  }
  const answered = await ask({
    signal,
    model,
    messages: [{ role: "user", content: "Answer with the word ok." }],
  });
  return answered.ok
    ? { ok: true, value: { models: [], modelFound: true, tookMs: tookMs() } }
    : answered;
}
