import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DemoModel, startDemoModel } from "../src/index.ts";
import { introduction } from "../src/next-step.ts";
import { story } from "../src/story/story.ts";
import { tools } from "./chat-body.ts";

let model: DemoModel;
let client: OpenAI;

beforeAll(async () => {
  model = await startDemoModel({ tokensPerSecond: 20_000 });
  client = new OpenAI({ baseURL: model.baseUrl, apiKey: model.apiKey, maxRetries: 0 });
});
afterAll(() => model.close());

function ask(prompt: string) {
  return { model: "demo", messages: [{ role: "user" as const, content: prompt }] };
}

function post(body: unknown): Promise<Response> {
  return fetch(`${model.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${model.apiKey}` },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

async function textOf(prompt: string): Promise<string> {
  let text = "";
  for await (const chunk of await client.chat.completions.create({
    ...ask(prompt),
    stream: true,
  })) {
    text += chunk.choices[0]?.delta.content ?? "";
  }
  return text;
}

describe("a streamed answer", () => {
  it("arrives in pieces and ends with a finish reason", async () => {
    const stream = await client.chat.completions.create({ ...ask("hello"), stream: true });
    const pieces: string[] = [];
    let finish: string | null = null;
    for await (const chunk of stream) {
      pieces.push(chunk.choices[0]?.delta.content ?? "");
      finish = chunk.choices[0]?.finish_reason ?? finish;
      expect(chunk.usage ?? null).toBeNull();
    }
    expect(pieces.length).toBeGreaterThan(50);
    expect(pieces.join("").startsWith(introduction)).toBe(true);
    expect(finish).toBe("stop");
  });

  it("is SSE that ends with [DONE]", async () => {
    const response = await post({ ...ask("hello"), stream: true });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const body = await response.text();
    expect(body.endsWith("data: [DONE]\n\n")).toBe(true);
    const events = body.split("\n\n").filter((event) => event !== "");
    expect(events.every((event) => event.startsWith("data: "))).toBe(true);
  });

  it("counts its tokens when asked to", async () => {
    const stream = await client.chat.completions.create({
      ...ask("hello"),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) {
      chunks.push(chunk);
    }
    const last = chunks.at(-1);
    expect(last?.choices).toEqual([]);
    expect(last?.usage?.completion_tokens).toBe(chunks.length - 3);
    expect(last?.usage?.prompt_tokens).toBeGreaterThan(10);
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
  });

  it("sends tool arguments in pieces that make one JSON text", async () => {
    const stream = await client.chat.completions.create({
      ...ask("Start something that won't stop"),
      tools,
      stream: true,
    });
    const pieces: string[] = [];
    const heads: unknown[] = [];
    let finish: string | null = null;
    for await (const chunk of stream) {
      const [call] = chunk.choices[0]?.delta.tool_calls ?? [];
      if (call?.id) {
        heads.push([call.index, call.type, call.function?.name]);
      }
      if (call) {
        pieces.push(call.function?.arguments ?? "");
      }
      finish = chunk.choices[0]?.finish_reason ?? finish;
    }
    expect(heads).toEqual([[0, "function", "shell"]]);
    expect(pieces.length).toBeGreaterThan(20);
    expect(Object.keys(JSON.parse(pieces.join("")))).toEqual(["command", "timeoutMs"]);
    expect(finish).toBe("tool_calls");
  });

  it("sends reasoning before the text", async () => {
    const body = await (await post({ ...ask("Think first"), stream: true })).text();
    const reasoning = body.lastIndexOf('"reasoning_content"');
    expect(reasoning).toBeGreaterThan(0);
    expect(reasoning).toBeLessThan(body.indexOf('"content":"I'));
  });

  it("ends with `length` at the limit of the request", async () => {
    const stream = await client.chat.completions.create({
      ...ask("hello"),
      stream: true,
      max_completion_tokens: 5,
    });
    const finishes = [];
    let tokens = 0;
    for await (const chunk of stream) {
      if (chunk.choices[0]?.delta.content) {
        tokens += 1;
      }
      finishes.push(chunk.choices[0]?.finish_reason);
    }
    expect(tokens).toBe(5);
    expect(finishes.at(-1)).toBe("length");
  });
});

describe("an answer at once", () => {
  it("has text, usage and a finish reason", async () => {
    const answer = await client.chat.completions.create(ask("hello"));
    expect(answer.choices[0]?.message.content).toContain(introduction);
    expect(answer.choices[0]?.finish_reason).toBe("stop");
    expect(answer.usage?.total_tokens).toBe(
      (answer.usage?.prompt_tokens ?? 0) + (answer.usage?.completion_tokens ?? 0),
    );
  });

  it("has tool calls with ids of their own", async () => {
    const body = { ...ask("Write a file"), tools };
    const answers = await Promise.all([1, 2].map(() => client.chat.completions.create(body)));
    const ids = answers.map(({ choices }) => choices[0]?.message.tool_calls?.[0]?.id);
    expect(new Set(ids).size).toBe(2);
  });
});

describe("several requests at once", () => {
  it("get their own answers, whole", async () => {
    const prompts = ["Tell me a long story", "hello", "Think first", "Ask me a question"];
    const alone = await Promise.all(prompts.map(textOf));
    const many = Array.from({ length: 24 }, (_, index) => prompts[index % 4] ?? "");
    const texts = await Promise.all(many.map(textOf));
    expect(alone[0]).toContain(story);
    expect(texts).toEqual(many.map((_, index) => alone[index % 4]));
  });
});

describe("what is refused", () => {
  it.each([
    ["no key", {}, null],
    ["a wrong key", { authorization: "Bearer nobody" }, "invalid_api_key"],
  ])("401 for %s, as OpenAI says it", async (_, headers, code) => {
    const response = await fetch(`${model.baseUrl}/models`, { headers });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error", code } });
  });

  it("is an AuthenticationError to the SDK", async () => {
    const stranger = new OpenAI({ baseURL: model.baseUrl, apiKey: "nobody", maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });

  it.each([
    ["no JSON", "{", 400],
    ["another model", { ...ask("hello"), model: "gpt" }, 404],
    ["a result without a call", { model: "demo", messages: [{ role: "tool", content: "" }] }, 400],
  ])("%s", async (_, body, status) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toHaveProperty("error.message");
  });

  it("another path", async () => {
    const headers = { authorization: `Bearer ${model.apiKey}` };
    expect((await fetch(`${model.baseUrl}//`, { headers })).status).toBe(404);
  });

  it.each([
    ["error 500", 500, null],
    ["error 429", 429, "1"],
  ])("“%s”, because the prompt asks for it", async (prompt, status, retryAfter) => {
    const response = await post({ ...ask(prompt), stream: true });
    expect(response.status).toBe(status);
    expect(response.headers.get("retry-after")).toBe(retryAfter);
  });

  it("“error mid-stream”: the stream breaks after some text", async () => {
    const response = await post({ ...ask("error mid-stream"), stream: true });
    const reader = response.body?.getReader();
    let body = "";
    const readAll = async () => {
      for (;;) {
        const piece = await reader?.read();
        if (piece === undefined || piece.done) {
          return;
        }
        body += Buffer.from(piece.value).toString();
      }
    };
    await expect(readAll()).rejects.toThrow(/terminated/);
    expect(body).toContain("sentence");
    expect(body).not.toContain("[DONE]");
  });
});

it("lists its one model", async () => {
  const ids = [];
  for await (const { id } of client.models.list()) {
    ids.push(id);
  }
  expect(ids).toEqual(["demo"]);
  expect((await client.models.retrieve("demo")).id).toBe("demo");
});

it("asks for no key when the key is empty", async () => {
  const open = await startDemoModel({ apiKey: "" });
  expect((await fetch(`${open.baseUrl}/models`)).status).toBe(200);
  await open.close();
});

describe("the speed", () => {
  it("is set by a header", async () => {
    const headers = { "x-demo-tokens-per-second": "400" };
    const start = performance.now();
    const { usage } = await client.chat.completions.create(ask("hello"), { headers });
    const expected = (((usage?.completion_tokens ?? 0) - 1) / 400) * 1000;
    expect(performance.now() - start).toBeGreaterThan(expected * 0.95);
  });

  it("is ten times as high with the word fast", async () => {
    const slow = await startDemoModel({ tokensPerSecond: 40, apiKey: "k" });
    const slowClient = new OpenAI({ baseURL: slow.baseUrl, apiKey: "k" });
    const start = performance.now();
    const { usage } = await slowClient.chat.completions.create(ask("ask me, fast"));
    const took = performance.now() - start;
    const expected = (((usage?.completion_tokens ?? 0) - 1) / 400) * 1000;
    expect(took).toBeGreaterThan(expected * 0.95);
    expect(took).toBeLessThan(expected * 10);
    await slow.close();
  });
});
