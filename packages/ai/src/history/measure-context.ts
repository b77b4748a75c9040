import type { AiMessage, AiTool, AiUsage } from "../api.ts";
import { toolSchema } from "./tool-schema.ts";

/** Between prose (about 4.5 characters a token) and code or JSON (about 3). */
const charactersPerToken = 3.7;
const tokensPerMessage = 4;
const tokensPerImage = 1_000;

export interface ContextMeasure {
  tokens: number;
  /** False when a server counted all of it. */
  estimated: boolean;
  contextLength: number;
  /** 1 is full. */
  fraction: number;
}

export interface ContextMeasureOptions {
  messages: readonly AiMessage[];
  tools?: readonly AiTool[];
  contextLength: number;
  /** The counts of the latest answer, and how many messages the history had with it appended. */
  counted?: { usage: AiUsage; messages: number };
  /** How many tokens the server counts for one that is estimated here; 1 if not given. */
  ratio?: number;
}

/** How full the context is: what a server counted, plus an estimate of what was added since. */
export function measureContext(options: ContextMeasureOptions): ContextMeasure {
  const { messages, tools = [], contextLength, counted, ratio = 1 } = options;
  const known = counted && !counted.usage.estimated && counted.messages <= messages.length;
  const added = known ? messages.slice(counted.messages) : messages;
  const base = known
    ? counted.usage.inputTokens + counted.usage.outputTokens
    : estimateTools(tools) * ratio;
  const tokens = Math.ceil(base + estimateTokens(added) * ratio);
  const estimated = !known || added.length > 0;
  return { tokens, estimated, contextLength, fraction: tokens / contextLength };
}

export function tokensOfLength(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

/** By bytes, since what takes more of them than a letter does (Chinese, say) takes more tokens too. */
function tokensOfText(text: string): number {
  return tokensOfLength(Buffer.byteLength(text));
}

export function estimateTokens(messages: readonly AiMessage[]): number {
  let tokens = 0;
  for (const message of messages) {
    tokens += tokensPerMessage + estimateContent(message);
  }
  return tokens;
}

export function estimateTools(tools: readonly AiTool[]): number {
  return tools.reduce(
    (sum, tool) =>
      sum +
      tokensOfLength(
        tool.name.length + tool.description.length + JSON.stringify(toolSchema(tool)).length,
      ),
    0,
  );
}

function estimateContent(message: AiMessage): number {
  if (typeof message.content === "string") {
    return tokensOfText(message.content);
  }
  let tokens = 0;
  for (const part of message.content) {
    if (part.type === "image") {
      tokens += tokensPerImage;
    } else if (part.type === "toolcall") {
      const { arguments: parsed } = part;
      const text = parsed.ok ? JSON.stringify(parsed.value) : parsed.text;
      tokens += tokensOfText(part.name + text);
    } else {
      tokens += tokensOfText(part.text);
    }
  }
  return tokens;
}
