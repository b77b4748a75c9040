import type {
  ChatCompletionCreateParams,
  ChatCompletionCreateParamsBase,
} from "openai/resources/chat/completions";
import type { AiModel, AiParameters, AiResult, IAiChatOptions } from "./api.ts";
import type { Backend } from "./backend.ts";
import type { Connection } from "./exchange/connection.ts";
import { serverSentEvents, wholeBody } from "./exchange/frame-reader.ts";
import { listOf, numberOf, recordOf, stringOf } from "./json-record.ts";
import { decodeOpenAi } from "./openai/decode-openai.ts";
import { toOpenAiMessages, toOpenAiTools } from "./openai/to-openai-messages.ts";

/** OpenAI's chat completions and everything that is compatible with them. */
export function createOpenAi(connection: Connection): Backend {
  return {
    dialect(options, stream) {
      const subject = connection.subject(options.model);
      return {
        send: (exchange) =>
          exchange.post("/chat/completions", toRequest(options, connection.baseUrl, stream)),
        frames: (contentType) =>
          contentType.includes("application/json") ? wholeBody() : serverSentEvents(),
        decode: (frame, answer) => decodeOpenAi(frame, answer, subject),
      };
    },
    contextLength: () => undefined,
    listModels: (signal) => listModels(connection, signal),
    async describeModel(signal, model) {
      // A turn asks this before its first answer, so it does not wait for an SDK.
      const listed = await connection.json(signal, "/models");
      const models = listed.ok ? readModels(listed.value) : [];
      // A server with one model answers with it, by whatever name it is asked for.
      return models.find(({ id }) => id === model) ?? (models.length === 1 ? models[0] : undefined);
    },
  };
}

/** A list is asked for with the SDK, and read here: compatible servers say more, and otherwise. */
async function listModels(
  connection: Connection,
  signal: AbortSignal,
): Promise<AiResult<AiModel[]>> {
  const { baseUrl: baseURL, apiKey } = connection;
  const listed = await connection.bySdk(signal, async (fetch) => {
    const { OpenAI } = await import("openai");
    const client = new OpenAI({
      baseURL,
      // It refuses to be made without one; a server that needs none is sent none.
      apiKey: apiKey || "none",
      organization: null,
      project: null,
      maxRetries: 0,
      logLevel: "off",
      fetch,
    });
    const response = await client.models.list().asResponse();
    return response.json();
  });
  return listed.ok ? { ok: true, value: readModels(listed.value) } : listed;
}

function toRequest(
  options: IAiChatOptions,
  baseUrl: string,
  stream: boolean,
): ChatCompletionCreateParams {
  const { model, messages, tools = [], toolChoice } = options;
  return {
    model,
    messages: toOpenAiMessages(messages),
    ...(tools.length > 0 && { tools: toOpenAiTools(tools) }),
    ...(tools.length > 0 && toolChoice && { tool_choice: toolChoice }),
    ...toParameters(options.parameters ?? {}, baseUrl),
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
  };
}

/** OpenAI's newer models refuse `max_tokens`; other servers know nothing else. */
function toParameters(
  parameters: AiParameters,
  baseUrl: string,
): Partial<ChatCompletionCreateParamsBase> {
  const { temperature, topP, maxOutputTokens, reasoningEffort, stop, seed } = parameters;
  const isOpenAi = baseUrl.startsWith("https://api.openai.com/");
  const limit = isOpenAi ? "max_completion_tokens" : "max_tokens";
  return {
    ...(maxOutputTokens !== undefined && { [limit]: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(reasoningEffort !== undefined && { reasoning_effort: reasoningEffort }),
    ...(stop !== undefined && { stop }),
    ...(seed !== undefined && { seed }),
  };
}

const contextFields = ["context_length", "max_model_len", "context_window", "max_context_length"];

/** `{ data: [...] }`, or the bare list that some servers send. */
function readModels(value: unknown): AiModel[] {
  const list = Array.isArray(value) ? value : listOf(recordOf(value)?.["data"]);
  const models = list.flatMap((entry): AiModel[] => {
    const model = recordOf(entry);
    const id = stringOf(model?.["id"]);
    if (!model || !id) {
      return [];
    }
    // llama.cpp says under `meta` what it was started with.
    const said = [
      ...contextFields.map((field) => model[field]),
      recordOf(model["meta"])?.["n_ctx"],
    ];
    const contextLength = said.map(numberOf).find(Boolean);
    const parameters = model["supported_parameters"];
    return [
      {
        id: id.replace(/^models\//, ""),
        ...(contextLength !== undefined && { contextLength }),
        ...(Array.isArray(parameters) && { tools: parameters.includes("tools") }),
      },
    ];
  });
  return models.sort((a, b) => a.id.localeCompare(b.id));
}
