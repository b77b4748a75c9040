import type {
  AiAssistantMessage,
  AiImage,
  AiMessage,
  AiText,
  AiToolCall,
  AiToolMessage,
  AiToolOutcome,
  AiUserMessage,
} from "../api.ts";

/** What the model is told of a call, in the place of a result that says nothing itself. */
export const toolOutcomeTexts: Record<AiToolOutcome, string> = {
  finished: "(The tool finished and returned nothing.)",
  never_started: "This tool call never started: nothing was run and nothing was changed.",
  unknown:
    "The outcome of this tool call is unknown: it may have run in part or in full. Check the actual state before you repeat it.",
};

const interruptedText =
  "(The previous answer was interrupted before it was complete. What stands there is all that came.)";
const beginningText = "(The beginning of this conversation is not shown.)";
const continueText = "Continue.";

export type RepairedMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: (AiText | AiImage)[] }
  | { role: "assistant"; content: AiAssistantMessage["content"] }
  | { role: "tool"; callId: string; name: string; content: string };

/**
 * Brings a history into the form that every model API takes, whatever a crash or an abort left:
 * one system message at most, in front; then user and assistant in turns; each call followed at
 * once by exactly one result; names, texts and ids that no server refuses. The input is not changed.
 */
export function repairHistory(messages: readonly AiMessage[]): RepairedMessage[] {
  const leading = messages.findIndex((message) => message.role !== "system");
  const head = messages.slice(0, leading < 0 ? messages.length : leading);
  const rest = messages.slice(head.length);
  const results = assignResults(rest);
  const lastUser = rest.findLastIndex((message) => message.role === "user");

  const repaired = new Repaired();
  rest.forEach((message, index) => {
    if (message.role === "user" || message.role === "system") {
      repaired.addUser(userParts(message.content));
    } else if (message.role === "assistant") {
      repaired.addAssistant(message, index > lastUser, results);
    }
  });
  const system = head.map((message) => textOf(message.content)).filter((text) => text !== "");
  return [
    ...(system.length > 0 ? [{ role: "system" as const, content: system.join("\n\n") }] : []),
    ...repaired.end(),
  ];
}

type Results = Map<AiToolCall, AiToolMessage>;

/** A result belongs to the nearest call before it with its id and without a result; others go. */
function assignResults(messages: readonly AiMessage[]): Results {
  const results: Results = new Map();
  const open = new Map<string, AiToolCall[]>();
  for (const message of messages) {
    if (message.role === "assistant") {
      const calls = message.content.filter((part) => part.type === "toolcall");
      for (const call of calls.reverse()) {
        open.set(call.id, [call, ...(open.get(call.id) ?? [])]);
      }
    } else if (message.role === "tool") {
      const call = open.get(message.callId)?.shift();
      if (call) {
        results.set(call, message);
      }
    }
  }
  return results;
}

class Repaired {
  readonly #list: RepairedMessage[] = [];

  addUser(content: (AiText | AiImage)[]): void {
    if (content.length === 0) {
      return;
    }
    const last = this.#list.at(-1);
    if (last?.role === "user") {
      last.content.push(...content);
    } else {
      this.#list.push({ role: "user", content });
    }
  }

  addAssistant(message: AiAssistantMessage, current: boolean, results: Results): void {
    const content = cleanContent(message, current);
    const calls = content.filter((part) => part.type === "toolcall");
    if (content.length > 0) {
      this.#push(content);
    }
    const original = message.content.filter((part) => part.type === "toolcall");
    const images: (AiText | AiImage)[] = [];
    calls.forEach((call, index) => {
      const source = original[index];
      const result = source && results.get(source);
      const text = resultText(result, call, message);
      this.#list.push({ role: "tool", callId: call.id, name: call.name, content: text });
      const shown = imagesOf(result);
      if (shown.length > 0) {
        images.push({ type: "text", text: `(Images returned by ${call.name}:)` }, ...shown);
      }
    });
    this.addUser(images);
    if (message.interrupted) {
      this.addUser([{ type: "text", text: interruptedText }]);
    }
  }

  end(): RepairedMessage[] {
    if (this.#list.at(-1)?.role === "assistant" || this.#list.length === 0) {
      this.addUser([{ type: "text", text: continueText }]);
    }
    return this.#list;
  }

  #push(content: AiAssistantMessage["content"]): void {
    const last = this.#list.at(-1);
    if (last === undefined) {
      this.addUser([{ type: "text", text: beginningText }]);
    }
    if (last?.role === "assistant") {
      last.content.push(...content);
    } else {
      this.#list.push({ role: "assistant", content });
    }
  }
}

/**
 * Reasoning stays only where a server may want it back: in the current turn, in front of a call.
 * Alone, or from an earlier turn, servers refuse or ignore it.
 */
function cleanContent(
  message: AiAssistantMessage,
  current: boolean,
): AiAssistantMessage["content"] {
  const hasCalls = message.content.some((part) => part.type === "toolcall");
  const ids = new Set<string>();
  return message.content.flatMap((part): AiAssistantMessage["content"] => {
    if (part.type === "toolcall") {
      const id = uniqueId(part.id, ids);
      return [{ ...part, id, name: part.name.replace(/[^\w-]/g, "_").slice(0, 64) || "unnamed" }];
    }
    const text = wellFormed(part.text);
    if (text.trim() === "" || (part.type === "reasoning" && !(hasCalls && current))) {
      return [];
    }
    return [{ ...part, text }];
  });
}

function uniqueId(id: string, taken: Set<string>): string {
  let unique = id === "" ? "call" : id;
  for (let n = 2; taken.has(unique); n++) {
    unique = `${id}_${n}`;
  }
  taken.add(unique);
  return unique;
}

function resultText(
  result: AiToolMessage | undefined,
  call: AiToolCall,
  message: AiAssistantMessage,
): string {
  if (result) {
    return textOf(result.content) || toolOutcomeTexts[result.outcome ?? "finished"];
  }
  const started = call.arguments.ok && !message.interrupted;
  return toolOutcomeTexts[started ? "unknown" : "never_started"];
}

function imagesOf(result: AiToolMessage | undefined): AiImage[] {
  return typeof result?.content === "object"
    ? result.content.filter((part) => part.type === "image")
    : [];
}

function userParts(content: AiUserMessage["content"]): (AiText | AiImage)[] {
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return parts.flatMap((part): (AiText | AiImage)[] => {
    if (part.type === "image") {
      return [part];
    }
    return part.text.trim() === "" ? [] : [{ type: "text", text: wellFormed(part.text) }];
  });
}

function textOf(content: AiMessage["content"]): string {
  if (typeof content === "string") {
    return wellFormed(content);
  }
  return wellFormed(
    content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n"),
  );
}

/** Half a surrogate pair (output cut at a limit) makes some servers refuse the whole request. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}
