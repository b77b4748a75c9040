import type { AiEnd, AiFailed, AiOpenPart, AiProvider, IAiChatOptions } from "@gadget/ai";
import type { AgentEvent, Emit } from "./agent-event.ts";
import { neverStartedText } from "./tool-texts.ts";

/**
 * One answer: its events as they come, its end as a value. Parts that are open when it fails are
 * closed here, so that nothing stays open on a screen; a call cut in half never started.
 */
export async function askModel(
  provider: AiProvider,
  options: IAiChatOptions,
  emit: Emit,
): Promise<AiEnd | AiFailed> {
  for await (const event of provider.chat(options)) {
    if (event.type === "end") {
      return event;
    }
    if (event.type === "failure") {
      for (const part of event.open) {
        await emit(closing(part, options.signal.aborted));
      }
      return event;
    }
    if (event.type !== "usage") {
      await emit(event);
    }
  }
  throw new Error("An answer ended without its last event.");
}

function closing(part: AiOpenPart, aborted: boolean): AgentEvent {
  if (part.type !== "toolcall") {
    return { type: `${part.type}:end`, id: part.id, text: part.text };
  }
  const text = neverStartedText(aborted ? "aborted" : "incomplete");
  return { type: "tool:end", callId: part.id, name: part.name, outcome: "never_started", text };
}
