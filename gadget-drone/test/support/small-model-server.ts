import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

const Request = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
  tools: z.array(z.unknown()).optional(),
  options: z.object({ num_ctx: z.number() }).optional(),
  reasoning_effort: z.string().optional(),
  think: z.union([z.boolean(), z.string()]).optional(),
});
type Request = z.infer<typeof Request>;

export interface SmallCall {
  messages: Request["messages"];
  /** All that the model was given, as one text. */
  text: string;
  tokens: number;
  isSummary: boolean;
  /** Resolves when its connection has closed. */
  closed: Promise<unknown>;
  images: number;
  /** How long it shall think, in its API's own words. */
  effort: string | boolean | undefined;
  /** What this request allows; for Ollama its own `num_ctx`. */
  window: number;
}

/** What the model says: a text, or a call of a tool. */
export type Said = string | { name: string; input: object }[];

interface Small {
  kind: "llama.cpp" | "ollama";
  /** How much it can read. */
  window: number;
  /** Whether the list of models says so. */
  says?: boolean;
  sees?: boolean;
  answer: (call: SmallCall) => Said | Promise<Said>;
}

const charactersPerToken = 2.8;

/**
 * A model server with a small context, over real HTTP. The one counts and refuses as llama.cpp does,
 * the other cuts in silence as Ollama did.
 */
export class SmallModelServer {
  readonly calls: SmallCall[] = [];
  readonly refused: SmallCall[] = [];
  /** Requests that were cut before the model read them. */
  cut = 0;
  small: Small;
  readonly #server: Server;

  private constructor(small: Small) {
    this.small = small;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(small: Small): Promise<SmallModelServer> {
    const server = new SmallModelServer(small);
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get access() {
    const { port } = this.#server.address() as AddressInfo;
    const baseUrl = `http://127.0.0.1:${port}`;
    return this.small.kind === "ollama"
      ? { kind: "ollama" as const, baseUrl }
      : { kind: "openai" as const, baseUrl: `${baseUrl}/v1` };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => {});
    const { kind, window, says = true, sees = false } = this.small;
    let body = "";
    for await (const chunk of request) {
      body += String(chunk);
    }
    if (request.url === "/v1/models") {
      const meta = says ? { meta: { n_ctx_train: 131_072, n_ctx: window } } : {};
      return json(response, 200, { data: [{ id: "small.gguf", ...meta }] });
    }
    if (request.url === "/api/show") {
      const capabilities = ["completion", "tools", ...(sees ? ["vision"] : [])];
      return json(response, 200, { capabilities, model_info: { "x.context_length": window } });
    }
    const call = {
      ...read(Request.parse(JSON.parse(body)), window),
      closed: once(response, "close"),
    };
    this.calls.push(call);
    if (call.images > 0 && !sees && kind === "llama.cpp") {
      this.refused.push(call);
      const message = "image input is not supported - hint: you may need to provide the mmproj";
      return json(response, 500, { error: { code: 500, message, type: "server_error" } });
    }
    if (call.tokens > call.window && kind === "ollama") {
      this.cut += 1;
    } else if (call.tokens > call.window) {
      this.refused.push(call);
      const message = `the request exceeds the available context size, try increasing it`;
      const counts = says ? { n_prompt_tokens: call.tokens, n_ctx: window } : {};
      const type = "exceed_context_size_error";
      return json(response, 400, { error: { code: 400, message, type, ...counts } });
    }
    const said = await this.small.answer(call);
    if (kind === "ollama") {
      answerOllama(response, said, call);
    } else {
      answerOpenAi(response, said, call);
    }
  }
}

function read(request: Request, window: number): Omit<SmallCall, "closed"> {
  const { messages, tools, options, reasoning_effort: effort = request.think } = request;
  const text = messages.map(({ content }) => textOf(content)).join("\n");
  const images = JSON.stringify(messages).match(/image_url"|"images":\["/g)?.length ?? 0;
  const length = text.length + JSON.stringify(tools ?? []).length;
  return {
    messages,
    text,
    images,
    effort,
    tokens: Math.ceil(length / charactersPerToken),
    isSummary: text.includes("You compact the history"),
    window: options?.num_ctx ?? window,
  };
}

function textOf(content: unknown): string {
  if (typeof content === "string") {
    return content;
  }
  const parts = z.array(z.object({ text: z.string().optional() })).safeParse(content);
  return parts.success ? parts.data.map(({ text = "" }) => text).join("\n") : "";
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function answerOpenAi(response: ServerResponse, said: Said, { tokens, messages }: SmallCall) {
  const chunk = (value: object) => `data: ${JSON.stringify({ object: "x", ...value })}\n\n`;
  const choice = (delta: object, reason: string | null = null) =>
    chunk({ choices: [{ index: 0, delta, finish_reason: reason }] });
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (typeof said === "string") {
    response.write(choice({ content: said }));
  } else {
    const calls = said.map(({ name, input }, index) => {
      const fn = { name, arguments: JSON.stringify(input) };
      return { index, id: `call_${messages.length}_${index}`, type: "function", function: fn };
    });
    response.write(choice({ tool_calls: calls }));
  }
  response.write(choice({}, typeof said === "string" ? "stop" : "tool_calls"));
  const usage = { prompt_tokens: tokens, completion_tokens: 20 };
  response.end(`${chunk({ choices: [], usage })}data: [DONE]\n\n`);
}

function answerOllama(response: ServerResponse, said: Said, { tokens, window }: SmallCall) {
  const message =
    typeof said === "string"
      ? { role: "assistant", content: said }
      : {
          role: "assistant",
          content: "",
          tool_calls: said.map(({ name, input }) => ({ function: { name, arguments: input } })),
        };
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  const counts = { prompt_eval_count: Math.min(tokens, window), eval_count: 20 };
  response.end(`${JSON.stringify({ message, done: true, done_reason: "stop", ...counts })}\n`);
}
