import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { z } from "zod";

const Request = z.object({
  messages: z.array(
    z.object({
      role: z.string(),
      content: z.unknown(),
      tool_calls: z.array(z.object({ id: z.string() })).optional(),
      tool_call_id: z.string().optional(),
    }),
  ),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).optional(),
});
type Request = z.infer<typeof Request>;

export interface ServerAnswer {
  words?: string[];
  calls?: { id: string; name: string; input: Record<string, unknown> }[];
  /** Says nothing more after the words, and leaves the connection open. */
  silent?: boolean;
}

/** An OpenAI-compatible server on a real socket that refuses every history OpenAI would refuse. */
export async function startScriptedServer(script: (request: Request) => ServerAnswer) {
  const requests: Request[] = [];
  let open = 0;
  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) {
      chunks.push(chunk);
    }
    const request = Request.parse(JSON.parse(Buffer.concat(chunks).toString()));
    const problem = historyProblem(request);
    if (problem) {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: problem } }));
      return;
    }
    requests.push(request);
    open += 1;
    response.on("close", () => {
      open -= 1;
    });
    await answer(response, script(request));
  };
  const server = createServer((incoming, response) => void serve(incoming, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    /** Answers whose connection is still there. */
    openAnswers: () => open,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function answer(response: ServerResponse, { words = [], calls = [], silent }: ServerAnswer) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta: object, reason: string | null = null) => {
    const choices = [{ index: 0, delta, finish_reason: reason }];
    response.write(
      `data: ${JSON.stringify({ id: "a", object: "chat.completion.chunk", choices })}\n\n`,
    );
  };
  for (const content of words) {
    send({ role: "assistant", content });
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (silent) {
    return;
  }
  calls.forEach(({ id, name, input }, index) => {
    const text = JSON.stringify(input);
    const half = Math.ceil(text.length / 2);
    const head = {
      index,
      id,
      type: "function",
      function: { name, arguments: text.slice(0, half) },
    };
    send({ tool_calls: [head] });
    send({ tool_calls: [{ index, function: { arguments: text.slice(half) } }] });
  });
  send({}, calls.length > 0 ? "tool_calls" : "stop");
  response.end("data: [DONE]\n\n");
}

function historyProblem({ messages }: Request): string | undefined {
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool") {
      if (!open.delete(message.tool_call_id ?? "")) {
        return `No call for ${message.tool_call_id}`;
      }
      continue;
    }
    if (open.size > 0) {
      return `No result for ${[...open].join(", ")}`;
    }
    open = new Set(message.tool_calls?.map(({ id }) => id));
  }
  return open.size > 0 ? `No result for ${[...open].join(", ")}` : undefined;
}
