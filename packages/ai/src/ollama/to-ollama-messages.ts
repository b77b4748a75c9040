import type { Message, Tool } from "ollama";
import type { AiMessage, AiTool } from "../api.ts";
import { type RepairedMessage, repairHistory } from "../history/repair-history.ts";
import { toolSchema } from "../history/tool-schema.ts";

/** The history as Ollama's chat takes it. */
export function toOllamaMessages(messages: readonly AiMessage[]): Message[] {
  return repairHistory(messages).map((message): Message => {
    switch (message.role) {
      case "system":
        return { role: "system", content: message.content };
      case "user":
        return userMessage(message.content);
      case "assistant":
        return assistantMessage(message.content);
      case "tool":
        return { role: "tool", content: message.content, tool_name: message.name };
    }
  });
}

export function toOllamaTools(tools: readonly AiTool[]): Tool[] {
  return tools.map((tool) => ({
    type: "function",
    function: { name: tool.name, description: tool.description, parameters: toolSchema(tool) },
  }));
}

type ContentOf<Role> = Extract<RepairedMessage, { role: Role }>["content"];

function userMessage(parts: ContentOf<"user">): Message {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const images = parts.flatMap((part) => (part.type === "image" ? [part.data] : []));
  const message: Message = { role: "user", content: texts.join("\n\n") };
  return images.length > 0 ? { ...message, images } : message;
}

function assistantMessage(parts: ContentOf<"assistant">): Message {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const thinking = parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : []));
  const calls = parts.filter((part) => part.type === "toolcall");
  return {
    role: "assistant",
    content: texts.join("\n\n"),
    ...(thinking.length > 0 && { thinking: thinking.join("") }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ name, arguments: parsed }) => ({
        function: { name, arguments: parsed.ok ? parsed.value : { not_json: parsed.text } },
      })),
    }),
  };
}
