import type { ChatCompletionMessageParam, ChatCompletionTool } from "openai/resources";
import type { AiAssistantMessage, AiImage, AiMessage, AiText, AiTool } from "../api.ts";
import { repairHistory } from "../history/repair-history.ts";
import { toolSchema } from "../history/tool-schema.ts";

/** The history as chat completions take it. */
export function toOpenAiMessages(messages: readonly AiMessage[]): ChatCompletionMessageParam[] {
  return repairHistory(messages).map((message): ChatCompletionMessageParam => {
    switch (message.role) {
      case "system":
        return { role: "system", content: message.content };
      case "user":
        return { role: "user", content: userContent(message.content) };
      case "assistant":
        return assistantMessage(message.content);
      case "tool":
        return { role: "tool", tool_call_id: message.callId, content: message.content };
    }
  });
}

export function toOpenAiTools(tools: readonly AiTool[]): ChatCompletionTool[] {
  return tools.map((tool) => ({
    type: "function",
    function: { name: tool.name, description: tool.description, parameters: toolSchema(tool) },
  }));
}

/** A plain string where there is no image: some servers take nothing else. */
function userContent(parts: (AiText | AiImage)[]) {
  if (parts.every((part) => part.type === "text")) {
    return parts.map((part) => part.text).join("\n\n");
  }
  return parts.map((part) =>
    part.type === "text"
      ? { type: "text" as const, text: part.text }
      : {
          type: "image_url" as const,
          image_url: { url: `data:${part.mediaType};base64,${part.data}` },
        },
  );
}

function assistantMessage(content: AiAssistantMessage["content"]): ChatCompletionMessageParam {
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  const calls = content.filter((part) => part.type === "toolcall");
  const reasoning: Record<string, string> = {};
  for (const part of content) {
    if (part.type === "reasoning" && part.field !== undefined) {
      reasoning[part.field] = (reasoning[part.field] ?? "") + part.text;
    }
  }
  if (calls.length === 0) {
    return { role: "assistant", content: text, ...reasoning };
  }
  return {
    ...reasoning,
    role: "assistant",
    content: text === "" ? null : text,
    tool_calls: calls.map((call) => ({
      ...call.extra,
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: argumentsText(call.arguments) },
    })),
  };
}

/** Servers parse the arguments of past calls too, so what was not JSON is wrapped. */
function argumentsText(parsed: { ok: true; value: object } | { ok: false; text: string }): string {
  return JSON.stringify(parsed.ok ? parsed.value : { not_json: parsed.text });
}
