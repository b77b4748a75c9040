import { describe, expect, it } from "vitest";
import { called, user } from "../test/chat-body.ts";
import { readChatRequest } from "./chat-request.ts";
import { checkHistory } from "./check-history.ts";

function problemIn(messages: object[]): string | undefined {
  const read = readChatRequest(JSON.stringify({ model: "demo", messages }));
  return read.ok ? checkHistory(read.request.messages)?.message : read.error.message;
}

const two = called("", { name: "shell", result: "a" }, { name: "shell", result: "b" });

describe("checkHistory", () => {
  it("A29 accepts calls that have one result each", () => {
    expect(problemIn([user("go"), ...two, user("more")])).toBeUndefined();
  });

  it("A29 refuses a call without a result", () => {
    expect(problemIn([user("go"), ...two.slice(0, 2)])).toMatch(/did not have response messages/);
    expect(problemIn([user("go"), ...two.slice(0, 2), user("x")])).toMatch(/did not have/);
  });

  it("A29 refuses a result without a call, and a second result", () => {
    expect(problemIn([user("go"), ...two.slice(1)])).toMatch(/must be a response/);
    expect(problemIn([user("go"), ...two, ...two.slice(2)])).toMatch(/must be a response/);
  });
});

describe("readChatRequest", () => {
  it.each([
    ["no JSON", "{"],
    ["no model", '{"messages":[{"role":"user","content":"a"}]}'],
    ["no messages", '{"model":"demo","messages":[]}'],
    ["an unknown role", '{"model":"demo","messages":[{"role":"owner","content":"a"}]}'],
  ])("refuses %s", (_, body) => {
    expect(readChatRequest(body)).toMatchObject({ ok: false, error: { status: 400 } });
  });

  it("reads text parts and leaves images out", () => {
    const content = [
      { type: "text", text: "long" },
      { type: "image_url", image_url: { url: "data:," } },
      { type: "text", text: "story" },
    ];
    const read = readChatRequest(
      JSON.stringify({ model: "demo", messages: [{ role: "user", content }] }),
    );
    expect(read.ok && read.request.messages[0]?.text).toBe("long\nstory");
  });
});
