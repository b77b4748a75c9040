import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AiEvent, type AiProvider, createProvider } from "../src/index.ts";

export interface BenchRow {
  name: string;
  value: number;
  unit: string;
  baseline?: number;
  ratio?: number;
  target?: number;
  samples?: number[];
}

const tokens = 5_000;
const rounds = 15;
const aborts = 25;
const messages = [{ role: "user" as const, content: "Hello" }];

type Kind = "openai" | "ollama";
type Moment = "headers" | "silent" | "stream" | "backoff";

/** Answers by the model's name: `tokens`, or the moment at which the client will abort. */
async function startServer() {
  let closed: ((at: number) => void) | undefined;
  const server = createServer((request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    for await (const chunk of request) {
      body += String(chunk);
    }
    request.socket.once("close", () => closed?.(performance.now()));
    response.on("error", () => undefined);
    const kind = request.url === "/api/chat" ? "ollama" : "openai";
    play(kind, body.match(/"model":"(\w+)"/)?.[1] ?? "", response);
  };
  server.on("connection", (socket) => socket.setMaxListeners(0));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    nextClose: () =>
      new Promise<number>((resolve) => {
        closed = resolve;
      }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function chunk(kind: Kind, text: string, done = false): string {
  return kind === "openai"
    ? `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: done ? {} : { content: text }, finish_reason: done ? "stop" : null }] })}\n\n`
    : `${JSON.stringify({ model: "m", created_at: "2026-01-01T00:00:00Z", message: { role: "assistant", content: text }, done, ...(done && { done_reason: "stop" }) })}\n`;
}

const full = {
  openai: `${Array.from({ length: tokens }, (_, n) => chunk("openai", `word${n} `)).join("")}${chunk("openai", "", true)}data: [DONE]\n\n`,
  ollama: `${Array.from({ length: tokens }, (_, n) => chunk("ollama", `word${n} `)).join("")}${chunk("ollama", "", true)}`,
};

function play(kind: Kind, model: string, response: ServerResponse): void {
  if (model === "headers") {
    return;
  }
  if (model === "backoff") {
    response.writeHead(429, { "retry-after": "60" });
    response.end("{}");
    return;
  }
  response.writeHead(200, {
    "content-type": kind === "openai" ? "text/event-stream" : "application/x-ndjson",
  });
  if (model === "tokens") {
    response.end(full[kind]);
    return;
  }
  response.write(chunk(kind, "word "));
  if (model === "stream") {
    const timer = setInterval(() => response.write(chunk(kind, "word ")), 1);
    response.on("close", () => clearInterval(timer));
  }
}

/** What nobody can do without: fetch, decode, split, parse. */
async function bareFetch(kind: Kind, url: string): Promise<number> {
  const path = kind === "openai" ? "/v1/chat/completions" : "/api/chat";
  const response = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "tokens", messages, stream: true }),
  });
  const decoder = new TextDecoder();
  let rest = "";
  let length = 0;
  for await (const bytes of response.body ?? []) {
    rest += decoder.decode(bytes, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const json = kind === "openai" ? line.slice(6) : line;
      if (json !== "" && json !== "[DONE]") {
        const value = JSON.parse(json);
        length += (value.message ?? value.choices[0].delta).content?.length ?? 0;
      }
    }
  }
  return length;
}

async function throughChat(provider: AiProvider): Promise<number> {
  const { signal } = new AbortController();
  let length = 0;
  for await (const event of provider.chat({ signal, model: "tokens", messages })) {
    if (event.type === "text:delta") {
      length += event.text.length;
    }
  }
  return length;
}

async function time(run: () => Promise<number>): Promise<number> {
  const start = performance.now();
  const length = await run();
  if (length < tokens * 5) {
    throw new Error(`Only ${length} characters came.`);
  }
  return performance.now() - start;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function streaming(kind: Kind, url: string): Promise<BenchRow> {
  const provider = createProvider({ kind, baseUrl: url });
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = -5; round < rounds; round++) {
    const [a, b] = [
      await time(() => bareFetch(kind, url)),
      await time(() => throughChat(provider)),
    ];
    if (round >= 0) {
      bare.push(a);
      ours.push(b);
    }
  }
  provider.close();
  const [value, baseline] = [median(ours), median(bare)];
  const name = `${kind}: ${tokens} tokens through chat()`;
  const compared = { baseline, ratio: value / baseline, target: 1.3 * baseline };
  return { name, value, unit: "ms", ...compared, samples: ours };
}

/** When the time is right: once the event is seen, or when the request has surely arrived. */
const isMoment: Record<Moment, (event: AiEvent) => boolean> = {
  headers: () => false,
  silent: (event) => event.type === "text:delta",
  stream: (event) => event.type === "text:delta",
  backoff: (event) => event.type === "backoff:start",
};

async function abortOnce(
  kind: Kind,
  moment: Moment,
  server: Awaited<ReturnType<typeof startServer>>,
) {
  const provider = createProvider({ kind, baseUrl: server.url });
  const controller = new AbortController();
  const closing = server.nextClose();
  let at = 0;
  const abort = () => {
    at = performance.now();
    controller.abort();
  };
  if (moment === "headers") {
    setTimeout(abort, 20);
  }
  for await (const event of provider.chat({ signal: controller.signal, model: moment, messages })) {
    if (isMoment[moment](event) && at === 0) {
      at = -1;
      setTimeout(abort, 5);
    }
  }
  const settled = performance.now() - at;
  if (moment === "backoff") {
    provider.close();
    return { closed: 0, settled };
  }
  const closed = (await closing) - at;
  provider.close();
  return { closed, settled };
}

async function aborting(
  kind: Kind,
  moment: Moment,
  server: Awaited<ReturnType<typeof startServer>>,
) {
  const results = [];
  for (let n = 0; n < aborts; n++) {
    results.push(await abortOnce(kind, moment, server));
  }
  const rowOf = (what: string, samples: number[]): BenchRow => {
    const name = `${kind}: abort → ${what}, ${moment}`;
    return { name, value: median(samples), unit: "ms", target: 5, samples };
  };
  const settled = results.map((result) => result.settled);
  const closed = results.map((result) => result.closed);
  const rows = [rowOf("last event", settled)];
  return moment === "backoff" ? rows : [...rows, rowOf("socket closed", closed)];
}

export async function bench(): Promise<BenchRow[]> {
  const server = await startServer();
  const rows: BenchRow[] = [];
  for (const kind of ["openai", "ollama"] as const) {
    rows.push(await streaming(kind, server.url));
    for (const moment of ["headers", "silent", "stream", "backoff"] as const) {
      rows.push(...(await aborting(kind, moment, server)));
    }
  }
  server.close();
  return rows;
}

if (process.argv[1] && import.meta.url === new URL(`file://${process.argv[1]}`).href) {
  for (const { name, value, unit, baseline, ratio, target } of await bench()) {
    const compared = baseline
      ? ` (bare ${baseline.toFixed(1)} ${unit}, ratio ${(ratio ?? 0).toFixed(2)})`
      : "";
    process.stdout.write(
      `${name}: ${value.toFixed(2)} ${unit}${compared}, target ${target?.toFixed(1)}\n`,
    );
  }
}
