import { type ApiError, badRequest } from "./api-error.ts";
import { isObject, type JsonObject, parseJson } from "./json.ts";

interface RequestedCall {
  id: string;
  name: string;
  input: JsonObject;
}

export interface ChatMessage {
  role: "system" | "user" | "assistant" | "tool";
  text: string;
  calls: RequestedCall[];
  callId: string | undefined;
}

export interface OfferedTool {
  name: string;
  parameters: JsonObject;
}

export interface ChatRequest {
  model: string;
  messages: ChatMessage[];
  tools: OfferedTool[];
  stream: boolean;
  includeUsage: boolean;
  maxTokens: number;
  promptTokens: number;
}

export type ReadResult = { ok: true; request: ChatRequest } | { ok: false; error: ApiError };

const roles: Record<string, ChatMessage["role"]> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
  tool: "tool",
};

export function readChatRequest(body: string): ReadResult {
  const parsed = parseJson(body);
  if (!isObject(parsed)) {
    return refused("We could not parse the JSON body of your request.");
  }
  if (typeof parsed.model !== "string") {
    return refused("You must provide a model parameter.");
  }
  if (!Array.isArray(parsed.messages) || parsed.messages.length === 0) {
    return refused("Invalid 'messages': expected an array with at least one message.");
  }
  const messages: ChatMessage[] = [];
  for (const [index, raw] of parsed.messages.entries()) {
    const message = readMessage(raw);
    if (message === undefined) {
      return refused(`Invalid 'messages[${index}]': unknown role or malformed content.`);
    }
    messages.push(message);
  }
  const streamOptions = isObject(parsed.stream_options) ? parsed.stream_options : {};
  const limit = parsed.max_completion_tokens ?? parsed.max_tokens;
  return {
    ok: true,
    request: {
      model: parsed.model,
      messages,
      tools: parsed.tool_choice === "none" ? [] : readTools(parsed.tools),
      stream: parsed.stream === true,
      includeUsage: streamOptions.include_usage === true,
      maxTokens: typeof limit === "number" && limit > 0 ? limit : Number.POSITIVE_INFINITY,
      promptTokens: Math.ceil(body.length / 4),
    },
  };
}

function refused(message: string): ReadResult {
  return { ok: false, error: badRequest(message) };
}

function readMessage(raw: unknown): ChatMessage | undefined {
  if (!isObject(raw) || typeof raw.role !== "string") {
    return undefined;
  }
  const role = roles[raw.role];
  const text = readText(raw.content);
  const calls = readCalls(raw.tool_calls);
  if (role === undefined || text === undefined || calls === undefined) {
    return undefined;
  }
  const callId = typeof raw.tool_call_id === "string" ? raw.tool_call_id : undefined;
  return { role, text, calls, callId };
}

function readText(content: unknown): string | undefined {
  if (content === undefined || content === null) {
    return "";
  }
  if (typeof content === "string") {
    return content;
  }
  if (!Array.isArray(content)) {
    return undefined;
  }
  return content
    .map((part: unknown) => (isObject(part) && typeof part.text === "string" ? part.text : ""))
    .filter((text) => text !== "")
    .join("\n");
}

function readCalls(raw: unknown): RequestedCall[] | undefined {
  if (raw === undefined || raw === null) {
    return [];
  }
  if (!Array.isArray(raw)) {
    return undefined;
  }
  const calls: RequestedCall[] = [];
  for (const call of raw) {
    if (!isObject(call) || typeof call.id !== "string" || !isObject(call.function)) {
      return undefined;
    }
    const { name, arguments: input } = call.function;
    if (typeof name !== "string" || typeof input !== "string") {
      return undefined;
    }
    const parsed = parseJson(input);
    calls.push({ id: call.id, name, input: isObject(parsed) ? parsed : {} });
  }
  return calls;
}

function readTools(raw: unknown): OfferedTool[] {
  if (!Array.isArray(raw)) {
    return [];
  }
  return raw.flatMap((tool: unknown) => {
    if (!isObject(tool) || !isObject(tool.function)) {
      return [];
    }
    const { name, parameters } = tool.function;
    if (typeof name !== "string") {
      return [];
    }
    return [{ name, parameters: isObject(parameters) ? parameters : {} }];
  });
}
