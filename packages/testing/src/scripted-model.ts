import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

const Message = z.object({
  role: z.string(),
  content: z.unknown(),
  tool_calls: z
    .array(z.object({ id: z.string(), function: z.object({ name: z.string() }) }))
    .optional(),
  tool_call_id: z.string().optional(),
});
const ChatRequest = z.object({
  messages: z.array(Message),
  tools: z.array(z.unknown()).optional(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

const models = [
  { id: "scripted", object: "model" },
  { id: "scripted-small", object: "model", context_length: 16_000 },
];

/** One request to the model, and the pen with which a test answers it. */
export class ModelCall {
  readonly request: ChatRequest;
  /** Resolves when the drone has closed the connection, with the moment at which it did. */
  readonly closed: Promise<number>;
  readonly #response: ServerResponse;
  #calls = 0;

  constructor(request: ChatRequest, response: ServerResponse) {
    this.request = request;
    this.#response = response;
    this.closed = once(response, "close").then(() => performance.now());
  }

  get isClosed(): boolean {
    return this.#response.closed;
  }

  /** The last message of the user's. */
  get prompt(): string {
    const last = this.request.messages.findLast(({ role }) => role === "user");
    return JSON.stringify(last?.content);
  }

  /** What the tools have answered so far, in order. */
  get toolResults(): string[] {
    return this.request.messages
      .filter(({ role }) => role === "tool")
      .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)));
  }

  begin(): void {
    if (this.#response.headersSent) {
      return;
    }
    this.#response.writeHead(200, { "content-type": "text/event-stream" });
    this.#response.flushHeaders();
  }

  text(text: string): void {
    this.#chunk({ delta: { content: text } });
  }

  reasoning(text: string): void {
    this.#chunk({ delta: { reasoning_content: text } });
  }

  /** A call whose arguments come piece by piece. */
  async slowTool(name: string, input: object, between: () => Promise<unknown>): Promise<void> {
    const index = this.#calls++;
    const id = `call_${name}_${this.request.messages.length}_${index}`;
    const head = { index, id, type: "function", function: { name, arguments: "" } };
    this.#chunk({ delta: { tool_calls: [head] } });
    for (const piece of JSON.stringify(input).match(/.{1,12}/g) ?? []) {
      await between();
      this.#chunk({ delta: { tool_calls: [{ index, function: { arguments: piece } }] } });
    }
  }

  tool(name: string, input: object): void {
    this.toolWith(name, JSON.stringify(input));
  }

  /** A call with arguments that no serialiser would write. */
  toolWith(name: string, text: string): void {
    const index = this.#calls++;
    const id = `call_${name}_${this.request.messages.length}_${index}`;
    const call = { index, id, type: "function", function: { name, arguments: text } };
    this.#chunk({ delta: { tool_calls: [call] } });
  }

  /** Half a call: its arguments never end. */
  halfTool(name: string): void {
    const call = {
      index: 0,
      id: "call_half",
      type: "function",
      function: { name, arguments: '{"pa' },
    };
    this.#chunk({ delta: { tool_calls: [call] } });
  }

  end(): void {
    const reason = this.#calls > 0 ? "tool_calls" : "stop";
    this.#chunk({ delta: {}, finish_reason: reason });
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    this.#write({ choices: [], usage });
    this.#response.end("data: [DONE]\n\n");
  }

  refuse(status: number, headers: Record<string, string> = {}): void {
    this.#response.writeHead(status, { "content-type": "application/json", ...headers });
    this.#response.end(JSON.stringify({ error: { message: `refused with ${status}` } }));
  }

  #chunk(choice: object): void {
    this.begin();
    this.#write({ choices: [{ index: 0, finish_reason: null, ...choice }] });
  }

  #write(value: object): void {
    const head = { id: "c", object: "chat.completion.chunk", created: 1, model: "scripted" };
    this.#response.write(`data: ${JSON.stringify({ ...head, ...value })}\n\n`);
  }
}

type Answer = (call: ModelCall) => void | Promise<void>;

/** An OpenAI-compatible model over real HTTP, whose every answer a test writes. */
export class ScriptedModel {
  readonly calls: ModelCall[] = [];
  readonly #server: Server;
  #answer: Answer = (call) => {
    call.text("Done.");
    call.end();
  };

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<ScriptedModel> {
    const model = new ScriptedModel();
    model.#server.listen(0, "127.0.0.1");
    await once(model.#server, "listening");
    return model;
  }

  get baseUrl(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/v1`;
  }

  /** How all requests from now on are answered. */
  answer(answer: Answer): void {
    this.#answer = answer;
  }

  /** The first answer to every prompt calls tools; the second one ends the turn. */
  answerWithTools(...calls: [name: string, input: object][]): void {
    this.#answer = (call) => {
      if (call.toolResults.length > 0) {
        call.text("All done.");
      } else {
        for (const [name, input] of calls) {
          call.tool(name, input);
        }
      }
      call.end();
    };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => {});
    if (request.url?.endsWith("/models") === true) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ object: "list", data: models }));
      return;
    }
    let body = "";
    for await (const chunk of request) {
      body += String(chunk);
    }
    const call = new ModelCall(ChatRequest.parse(JSON.parse(body)), response);
    this.calls.push(call);
    await this.#answer(call);
  }
}
