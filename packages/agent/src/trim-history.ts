import type { AiMessage } from "@gadget/ai";

/** Keeps the instructions, the task, and the newest messages; never a result without its call. */
export function trimHistory(messages: readonly AiMessage[], max: number): readonly AiMessage[] {
  if (messages.length <= max) {
    return messages;
  }
  const task = messages.findIndex((message) => message.role === "user");
  const head = messages.slice(0, task + 1);
  const rest = messages.slice(Math.max(head.length, messages.length - (max - head.length)));
  const start = rest.findIndex((message) => message.role !== "tool");
  return [...head, ...(start < 0 ? [] : rest.slice(start))];
}
