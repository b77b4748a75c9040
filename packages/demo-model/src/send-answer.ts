import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { AnswerDelta } from "./answer-deltas.ts";
import { type Connection, connectionTo } from "./connection.ts";
import { paced } from "./paced.ts";

export interface AnswerOptions {
  model: string;
  stream: boolean;
  includeUsage: boolean;
  promptTokens: number;
  maxTokens: number;
  tokensPerSecond: number;
  /** Breaks the connection where the finish reason would come. */
  breaksOff: boolean;
}

interface Outcome {
  tokens: number;
  calls: number;
  /** More deltas were there than the request allowed. */
  cut: boolean;
}

/** Sends the deltas as a chat completion, streamed or whole. Stops when the client is gone. */
export async function sendAnswer(
  response: ServerResponse,
  deltas: Iterable<AnswerDelta>,
  options: AnswerOptions,
): Promise<void> {
  const connection = connectionTo(response);
  const send = options.stream ? sendStream : sendWhole;
  await send(response, connection, deltas, options);
}

async function sendStream(
  response: ServerResponse,
  connection: Connection,
  deltas: Iterable<AnswerDelta>,
  options: AnswerOptions,
): Promise<void> {
  const head = { ...envelope(options), object: "chat.completion.chunk" };
  const usage = options.includeUsage ? { usage: null } : {};
  const choice = (delta: object, finish_reason: string | null) =>
    event({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason }], ...usage });

  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });
  await connection.write(choice({ role: "assistant", content: "" }, null));
  const outcome = await each(deltas, connection, options, (delta) =>
    connection.write(choice(chunkOf(delta), null)),
  );
  if (!connection.isOpen()) {
    return;
  }
  if (options.breaksOff) {
    response.destroy();
    return;
  }
  await connection.write(choice({}, finishReason(outcome)));
  if (options.includeUsage) {
    await connection.write(event({ ...head, choices: [], usage: usageOf(outcome, options) }));
  }
  response.end("data: [DONE]\n\n");
}

async function sendWhole(
  response: ServerResponse,
  connection: Connection,
  deltas: Iterable<AnswerDelta>,
  options: AnswerOptions,
): Promise<void> {
  let content = "";
  let reasoning = "";
  const calls: { id: string; type: "function"; function: { name: string; arguments: string } }[] =
    [];
  const outcome = await each(deltas, connection, options, async (delta) => {
    if (delta.type === "text") {
      content += delta.text;
    }
    if (delta.type === "reasoning") {
      reasoning += delta.text;
    }
    if (delta.type === "call") {
      calls.push({ id: delta.id, type: "function", function: { name: delta.name, arguments: "" } });
    }
    const open = calls.at(-1);
    if (delta.type === "arguments" && open) {
      open.function.arguments += delta.text;
    }
  });
  if (!connection.isOpen()) {
    return;
  }
  if (options.breaksOff) {
    response.destroy();
    return;
  }
  const message = {
    role: "assistant",
    content,
    refusal: null,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length !== 0 && { tool_calls: calls }),
  };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(
    JSON.stringify({
      ...envelope(options),
      object: "chat.completion",
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(outcome) }],
      usage: usageOf(outcome, options),
    }),
  );
}

async function each(
  deltas: Iterable<AnswerDelta>,
  connection: Connection,
  { maxTokens, tokensPerSecond }: AnswerOptions,
  take: (delta: AnswerDelta) => Promise<void>,
): Promise<Outcome> {
  const outcome: Outcome = { tokens: 0, calls: 0, cut: false };
  for await (const delta of paced(deltas, connection, tokensPerSecond)) {
    if (outcome.tokens >= maxTokens) {
      return { ...outcome, cut: true };
    }
    outcome.tokens += 1;
    if (delta.type === "call") {
      outcome.calls += 1;
    }
    await take(delta);
  }
  return outcome;
}

function chunkOf(delta: AnswerDelta): object {
  if (delta.type === "text") {
    return { content: delta.text };
  }
  if (delta.type === "reasoning") {
    return { reasoning_content: delta.text };
  }
  const { index } = delta;
  if (delta.type === "arguments") {
    return { tool_calls: [{ index, function: { arguments: delta.text } }] };
  }
  const { id, name } = delta;
  return { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] };
}

function finishReason({ cut, calls }: Outcome): string {
  if (cut) {
    return "length";
  }
  return calls > 0 ? "tool_calls" : "stop";
}

function usageOf({ tokens }: Outcome, { promptTokens }: AnswerOptions): object {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: tokens,
    total_tokens: promptTokens + tokens,
  };
}

function envelope({ model }: AnswerOptions): object {
  return { id: `chatcmpl-${randomUUID()}`, created: Math.floor(Date.now() / 1000), model };
}

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
