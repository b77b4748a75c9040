import {
  type AiAssistantMessage,
  type AiEvent,
  type AiFailure,
  type AiMessage,
  type AiOpenPart,
  type AiProvider,
  type IAiChatOptions,
  makeFailure,
} from "@gadget/ai";

interface ScriptedCall {
  id: string;
  name: string;
  input?: Record<string, unknown>;
}

export interface ScriptedAnswer {
  text?: string;
  calls?: ScriptedCall[];
  failure?: AiFailure;
  /** Said after the text, before the end. */
  until?: Promise<unknown>;
}

export type Script = (options: IAiChatOptions, index: number) => ScriptedAnswer;

/** A provider that keeps the promises of the interface and takes its answers from a script. */
export class ScriptedProvider implements AiProvider {
  /** The requests as they were when they came. */
  readonly requests: { messages: AiMessage[]; tools: string[]; model: string }[] = [];
  readonly #script: Script;

  constructor(script: Script | ScriptedAnswer[]) {
    this.#script = Array.isArray(script)
      ? (_, index) => script[index] ?? { text: `No answer ${index} in the script` }
      : script;
  }

  async *chat(options: IAiChatOptions): AsyncGenerator<AiEvent> {
    const { signal, messages, tools = [], model } = options;
    const index = this.requests.length;
    const names = tools.map((tool) => tool.name);
    this.requests.push({ messages: structuredClone([...messages]), tools: names, model });
    const { text = "", calls = [], failure, until } = this.#script(options, index);
    const usage = { inputTokens: messages.length, outputTokens: text.length };
    const content: AiAssistantMessage["content"] = text === "" ? [] : [{ type: "text", text }];
    const open: AiOpenPart[] = [];
    const failed = (why: AiFailure): AiEvent => {
      const message: AiAssistantMessage = { role: "assistant", content, interrupted: true };
      return { type: "failure", failure: why, message, open, usage };
    };
    const abort = makeFailure("aborted");
    if (signal.aborted) {
      return yield failed(abort);
    }
    if (text !== "") {
      yield { type: "text:start", id: "text-0" };
      open.push({ type: "text", id: "text-0", text });
      yield { type: "text:delta", id: "text-0", text };
    }
    for (const { id, name } of calls) {
      open.push({ type: "toolcall", id, name });
      yield { type: "toolcall:start", id, name };
    }
    if (until) {
      await Promise.race([until, aborted(signal)]);
    }
    if (signal.aborted) {
      return yield failed(abort);
    }
    if (failure) {
      return yield failed(failure);
    }
    if (text !== "") {
      yield { type: "text:end", id: "text-0", text };
    }
    for (const { id, name, input = {} } of calls) {
      const call = { id, name, arguments: { ok: true as const, value: input } };
      content.push({ type: "toolcall", ...call });
      yield { type: "toolcall:end", ...call };
    }
    yield { type: "usage", usage };
    const reason = calls.length > 0 ? "tool_calls" : "stop";
    yield { type: "end", reason, message: { role: "assistant", content }, usage };
  }

  generate(): never {
    throw new Error("The loop does not use generate");
  }
  describeModel(): never {
    throw new Error("The loop does not use describeModel");
  }
  listModels(): never {
    throw new Error("The loop does not use listModels");
  }
  test(): never {
    throw new Error("The loop does not use test");
  }
  close(): void {}
}

/** Resolves when the signal fires. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
    }
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
