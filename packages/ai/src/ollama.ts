import type { ChatRequest, ShowRequest } from "ollama";
import type { AiModel, AiParameters, AiReasoningEffort, AiResult, IAiChatOptions } from "./api.ts";
import type { Backend } from "./backend.ts";
import type { Connection } from "./exchange/connection.ts";
import { jsonLines } from "./exchange/frame-reader.ts";
import { makeFailure } from "./failure/failure.ts";
import { listOf, numberOf, recordOf, stringOf } from "./json-record.ts";
import { decodeOllama } from "./ollama/decode-ollama.ts";
import { toOllamaMessages, toOllamaTools } from "./ollama/to-ollama-messages.ts";

export interface OllamaDefaults {
  contextLength?: number | undefined;
  keepAlive?: string | number | undefined;
}

/** For a model that could not be described. Ollama's own default would cut prompts in silence. */
const defaultContextLength = 16_384;
/** What models can read may be more than a machine can hold; a person may ask for more. */
const usualContextLength = 32_768;
const showsAtOnce = 4;

/** What is asked of a model: what is wanted, as far as it can; with care where nothing is said. */
export function ollamaContextLength(wanted: number | undefined, shown: number | undefined): number {
  return shown === undefined
    ? (wanted ?? defaultContextLength)
    : Math.min(wanted ?? usualContextLength, shown);
}

export function createOllama(connection: Connection, defaults: OllamaDefaults): Backend {
  const described = new Map<string, number>();
  const contextLength = (model: string, parameters: AiParameters | undefined) =>
    parameters?.contextLength ??
    described.get(model) ??
    ollamaContextLength(defaults.contextLength, undefined);
  return {
    contextLength,
    dialect(options, stream) {
      const subject = connection.subject(options.model);
      const length = contextLength(options.model, options.parameters);
      return {
        send: (exchange) =>
          exchange.post("/api/chat", toRequest(options, length, defaults.keepAlive, stream)),
        frames: jsonLines,
        decode: (frame, answer) => decodeOllama(frame, answer, subject, length),
      };
    },
    async describeModel(signal, model) {
      const shown = await showModel(connection, model, signal);
      if (shown.contextLength === undefined) {
        return undefined;
      }
      described.set(model, ollamaContextLength(defaults.contextLength, shown.contextLength));
      return shown;
    },
    async listModels(signal) {
      const listed = await connection.bySdk(signal, async (fetch) => {
        const { Ollama } = await import("ollama");
        return new Ollama({ host: connection.baseUrl, fetch }).list();
      });
      return listed.ok ? describeModels(connection, listed.value, signal) : listed;
    },
  };
}

/** Refuse what is too long; Ollama knows these fields since 0.12.5, and its SDK not yet. */
const neverCut = { truncate: false, shift: false };

function toRequest(
  options: IAiChatOptions,
  contextLength: number,
  keepAlive: string | number | undefined,
  stream: boolean,
): ChatRequest & typeof neverCut {
  const { model, messages, tools = [], toolChoice, parameters = {} } = options;
  const { temperature, topP, maxOutputTokens, reasoningEffort, stop, seed } = parameters;
  const stay = parameters.keepAlive ?? keepAlive;
  return {
    ...neverCut,
    stream,
    model,
    messages: toOllamaMessages(messages),
    ...(tools.length > 0 && toolChoice !== "none" && { tools: toOllamaTools(tools) }),
    ...(stay !== undefined && { keep_alive: stay }),
    ...(reasoningEffort !== undefined && { think: toThink(reasoningEffort) }),
    options: {
      num_ctx: contextLength,
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && { top_p: topP }),
      ...(maxOutputTokens !== undefined && { num_predict: maxOutputTokens }),
      ...(stop !== undefined && { stop }),
      ...(seed !== undefined && { seed }),
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
  const shown = await connection.json(signal, "/api/show", { model } satisfies ShowRequest);
  const details = shown.ok ? recordOf(shown.value) : undefined;
  if (!details) {
    return { id: model };
  }
  const info = Object.entries(recordOf(details["model_info"]) ?? {});
  const contextLength = numberOf(info.find(([key]) => key.endsWith(".context_length"))?.[1]);
  const { capabilities } = details;
  return {
    id: model,
    ...(contextLength !== undefined && { contextLength }),
    ...(Array.isArray(capabilities) && {
      tools: capabilities.includes("tools"),
      reasoning: capabilities.includes("thinking"),
      images: capabilities.includes("vision"),
    }),
  };
}
