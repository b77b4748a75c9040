import type { OpenAI } from "openai";
import type { AiModel, AiParameters, AiResult, IAiChatOptions } from "./api.ts";
import type { Backend } from "./backend.ts";
import type { Connection } from "./connection.ts";
import type { Exchange } from "./exchange.ts";
import { serverSentEvents, wholeBody } from "./frames.ts";
import { listOf, numberOf, recordOf, stringOf } from "./json.ts";
import { decodeOpenAi } from "./openai-answer.ts";
import { toOpenAiMessages, toOpenAiTools } from "./openai-messages.ts";

/** OpenAI's chat completions and everything that is compatible with them. */
export function createOpenAi(connection: Connection): Backend {
  const listModels = async (signal: AbortSignal): Promise<AiResult<AiModel[]>> => {
    const listed = await connection.json(signal, async (exchange) => {
      const client = await createClient(connection, exchange);
      await client.models.list().asResponse();
    });
    return listed.ok ? readModels(listed.value) : listed;
  };
  return {
    dialect(options, stream) {
      const subject = connection.subject(options.model);
      return {
        send: async (exchange) => {
          const client = await createClient(connection, exchange);
          const request = { ...toRequest(options, connection.baseUrl), stream };
          await client.chat.completions
            .create(stream ? { ...request, stream_options: { include_usage: true } } : request)
            .asResponse();
        },
        frames: (contentType) =>
          contentType.includes("application/json") ? wholeBody() : serverSentEvents(),
        decode: (frame, answer) => decodeOpenAi(frame, answer, subject),
      };
    },
    contextLength: () => undefined,
    listModels,
    async describeModel(signal, model) {
      const listed = await listModels(signal);
      const models = listed.ok ? listed.value : [];
      // A server with one model answers with it, by whatever name it is asked for.
      return models.find(({ id }) => id === model) ?? (models.length === 1 ? models[0] : undefined);
    },
  };
}

/** Loaded at the first request: it takes a tenth of a second and 11 MB. */
let loading: Promise<typeof import("openai")> | undefined;

/**
 * A client for one request. It only builds the request: its own retry would sleep through an
 * abort, its own reading is slower and ends an aborted stream as if it were complete. Nothing is
 * taken from the environment, whose keys may belong to another server.
 */
async function createClient(connection: Connection, exchange: Exchange): Promise<OpenAI> {
  loading ??= import("openai");
  const { OpenAI } = await loading;
  return new OpenAI({
    apiKey: "sent by the exchange",
    organization: null,
    project: null,
    baseURL: connection.baseUrl,
    maxRetries: 0,
    timeout: 2 ** 31 - 1,
    logLevel: "off",
    fetch: exchange.fetch,
  });
}

function toRequest(options: IAiChatOptions, baseUrl: string) {
  const { model, messages, tools = [], toolChoice } = options;
  return {
    model,
    messages: toOpenAiMessages(messages),
    ...(tools.length > 0 ? { tools: toOpenAiTools(tools) } : {}),
    ...(tools.length > 0 && toolChoice ? { tool_choice: toolChoice } : {}),
    ...toParameters(options.parameters ?? {}, baseUrl),
  };
}

/** OpenAI's newer models refuse `max_tokens`; other servers know nothing else. */
function toParameters(parameters: AiParameters, baseUrl: string) {
  const { temperature, topP, maxOutputTokens, reasoningEffort, stop, seed } = parameters;
  const isOpenAi = baseUrl.startsWith("https://api.openai.com/");
  const limit = (tokens: number) =>
    isOpenAi ? { max_completion_tokens: tokens } : { max_tokens: tokens };
  return {
    ...(maxOutputTokens === undefined ? {} : limit(maxOutputTokens)),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(reasoningEffort === undefined ? {} : { reasoning_effort: reasoningEffort }),
    ...(stop === undefined ? {} : { stop }),
    ...(seed === undefined ? {} : { seed }),
  };
}

const contextFields = ["context_length", "max_model_len", "context_window", "max_context_length"];

/** `{ data: [...] }`, or the bare list that some servers send. */
function readModels(value: unknown): AiResult<AiModel[]> {
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
        ...(contextLength === undefined ? {} : { contextLength }),
        ...(Array.isArray(parameters) ? { tools: parameters.includes("tools") } : {}),
      },
    ];
  });
  return { ok: true, value: models.sort((a, b) => a.id.localeCompare(b.id)) };
}
