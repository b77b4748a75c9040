import type { ChatRequest, Ollama } from "ollama";
import type { AiModel, AiParameters, AiReasoningEffort, AiResult, IAiChatOptions } from "./api.ts";
import type { Backend } from "./backend.ts";
import type { Connection } from "./connection.ts";
import type { Exchange } from "./exchange.ts";
import { makeFailure } from "./failure.ts";
import { jsonLines } from "./frames.ts";
import { listOf, numberOf, recordOf, stringOf } from "./json.ts";
import { decodeOllama } from "./ollama-answer.ts";
import { toOllamaMessages, toOllamaTools } from "./ollama-messages.ts";

export interface OllamaDefaults {
  contextLength?: number | undefined;
  keepAlive?: string | number | undefined;
}

/** Ollama's own default cuts an agent's prompt in silence; this one holds tools and some files. */
const defaultContextLength = 16_384;
const showsAtOnce = 4;

export function createOllama(connection: Connection, defaults: OllamaDefaults): Backend {
  const contextLength = (parameters: AiParameters | undefined) =>
    parameters?.contextLength ?? defaults.contextLength ?? defaultContextLength;
  return {
    contextLength,
    dialect(options, stream) {
      const subject = connection.subject(options.model);
      const length = contextLength(options.parameters);
      return {
        send: async (exchange) => {
          const client = await createClient(connection, exchange);
          const request = toRequest(options, length, defaults.keepAlive);
          await (stream
            ? client.chat({ ...request, stream: true })
            : client.chat({ ...request, stream: false }));
        },
        frames: jsonLines,
        decode: (frame, answer) => decodeOllama(frame, answer, subject, length),
      };
    },
    async listModels(signal) {
      const listed = await connection.json(signal, async (exchange) =>
        (await createClient(connection, exchange)).list(),
      );
      return listed.ok ? describeModels(connection, listed.value, signal) : listed;
    },
  };
}

let loading: Promise<typeof import("ollama")> | undefined;

/** For one request: a client of the SDK knows no signal, and `abort()` would end all it has. */
async function createClient(connection: Connection, exchange: Exchange): Promise<Ollama> {
  loading ??= import("ollama");
  const { Ollama } = await loading;
  return new Ollama({ host: connection.baseUrl, fetch: exchange.fetch });
}

function toRequest(
  options: IAiChatOptions,
  contextLength: number,
  keepAlive: string | number | undefined,
): ChatRequest {
  const { model, messages, tools = [], toolChoice, parameters = {} } = options;
  const { temperature, topP, maxOutputTokens, reasoningEffort, stop, seed } = parameters;
  const stay = parameters.keepAlive ?? keepAlive;
  return {
    model,
    messages: toOllamaMessages(messages),
    ...(tools.length > 0 && toolChoice !== "none" ? { tools: toOllamaTools(tools) } : {}),
    ...(stay === undefined ? {} : { keep_alive: stay }),
    ...(reasoningEffort === undefined ? {} : { think: toThink(reasoningEffort) }),
    options: {
      num_ctx: contextLength,
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { top_p: topP }),
      ...(maxOutputTokens === undefined ? {} : { num_predict: maxOutputTokens }),
      ...(stop === undefined ? {} : { stop }),
      ...(seed === undefined ? {} : { seed }),
    },
  };
}

function toThink(effort: AiReasoningEffort): boolean | "low" | "medium" | "high" {
  if (effort === "none") {
    return false;
  }
  return effort === "minimal" ? "low" : effort;
}

/** The list says only names; what a model can do is asked of each, a few at a time. */
async function describeModels(
  connection: Connection,
  value: unknown,
  signal: AbortSignal,
): Promise<AiResult<AiModel[]>> {
  const names = listOf(recordOf(value)?.["models"]).flatMap((entry) => {
    const model = recordOf(entry);
    return stringOf(model?.["model"]) ?? stringOf(model?.["name"]) ?? [];
  });
  const models: AiModel[] = [];
  for (let at = 0; at < names.length && !signal.aborted; at += showsAtOnce) {
    const some = names.slice(at, at + showsAtOnce);
    models.push(...(await Promise.all(some.map((name) => showModel(connection, name, signal)))));
  }
  return signal.aborted
    ? { ok: false, failure: makeFailure("aborted") }
    : { ok: true, value: models };
}

async function showModel(
  connection: Connection,
  model: string,
  signal: AbortSignal,
): Promise<AiModel> {
  const shown = await connection.json(signal, async (exchange) =>
    (await createClient(connection, exchange)).show({ model }),
  );
  const details = shown.ok ? recordOf(shown.value) : undefined;
  if (!details) {
    return { id: model };
  }
  const info = Object.entries(recordOf(details["model_info"]) ?? {});
  const contextLength = numberOf(info.find(([key]) => key.endsWith(".context_length"))?.[1]);
  const { capabilities } = details;
  return {
    id: model,
    ...(contextLength === undefined ? {} : { contextLength }),
    ...(Array.isArray(capabilities)
      ? {
          tools: capabilities.includes("tools"),
          reasoning: capabilities.includes("thinking"),
          images: capabilities.includes("vision"),
        }
      : {}),
  };
}
