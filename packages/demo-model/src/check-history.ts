import { type ApiError, badRequest } from "./api-error.ts";
import type { ChatMessage } from "./chat-request.ts";

/**
 * Refuses what OpenAI refuses: a tool call without its result right behind it, and a result
 * without its call. A lenient demo would hide a history that bricks a session elsewhere.
 */
export function checkHistory(messages: ChatMessage[]): ApiError | undefined {
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      if (message.callId === undefined || !open.delete(message.callId)) {
        return badRequest(
          `Invalid 'messages[${index}]': messages with role 'tool' must be a response to a preceding message with 'tool_calls'.`,
        );
      }
      continue;
    }
    if (open.size > 0) {
      return unanswered(open);
    }
    open = new Set(message.calls.map((call) => call.id));
  }
  return open.size > 0 ? unanswered(open) : undefined;
}

function unanswered(ids: Set<string>): ApiError {
  return badRequest(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...ids].join(", ")}`,
  );
}
