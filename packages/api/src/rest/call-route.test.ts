import { describe, expect, it } from "vitest";
import { SessionId, TurnId } from "../id.ts";
import { RefusalError } from "../refusal.ts";
import { callRoute, type RestRequest, requestOf } from "./call-route.ts";

const id = TurnId.parse("turn-0001");

/** A server that answers everything with the same, and what it was asked. */
function server(status: number, body?: unknown) {
  const asked: RestRequest[] = [];
  const json = () =>
    body === undefined ? Promise.reject(new SyntaxError("no JSON")) : Promise.resolve(body);
  const send = (request: RestRequest) => {
    asked.push(request);
    return Promise.resolve({ ok: status < 300, status, json });
  };
  return { asked, send };
}

describe("requestOf", () => {
  it("fills in and escapes the path and the query, without what is undefined", () => {
    const query = { path: "a b&c=d", depth: undefined, limit: 3 };
    expect(requestOf("readFiles", { params: { id: "a/b" }, query })).toEqual({
      method: "GET",
      path: "/api/v1/sessions/a%2Fb/files?path=a%20b%26c%3Dd&limit=3",
      headers: {},
    });
  });

  it("sends JSON with a verb that changes something, also an empty body, and with no other", () => {
    const headers = { "content-type": "application/json" };
    const params = { id };
    expect(requestOf("cancelTurn", { params })).toMatchObject({
      method: "POST",
      headers,
      body: "{}",
    });
    expect(requestOf("submitTurn", { params, body: { prompt: "x" } }).body).toBe('{"prompt":"x"}');
    expect(requestOf("deleteSession", { params })).toEqual({
      method: "DELETE",
      path: `/api/v1/sessions/${id}`,
      headers: {},
    });
  });
});

describe("callRoute", () => {
  it("gives the answer as its route types it, and the response", async () => {
    const { asked, send } = server(200, { items: [], nextCursor: null, later: "ignored" });
    const params = { id: SessionId.parse("session-1") };
    const { answer, response } = await callRoute("listSessionTurns", { params }, send);
    expect(answer).toEqual({ items: [], nextCursor: null });
    expect(response.status).toBe(200);
    expect(asked).toHaveLength(1);
  });

  it("throws what was refused, with its details", async () => {
    const details = { status: "finished" };
    const { send } = server(409, { error: { code: "not_running", message: "Over.", details } });
    const error = await callRoute("cancelTurn", { params: { id } }, send).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(RefusalError);
    expect(error).toMatchObject({ code: "not_running", message: "Over.", details });
  });

  it("a refusal that is none of ours is told by its status, or as the caller likes", async () => {
    const asked = (status: number) => callRoute("me", {}, server(status).send);
    await expect(asked(401)).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(asked(502)).rejects.toMatchObject({ code: "unavailable" });
    const own = callRoute("me", {}, server(502, "<html>").send, ({ status }) => {
      return new RefusalError("internal", `It says ${status}.`);
    });
    await expect(own).rejects.toMatchObject({ code: "internal", message: "It says 502." });
  });

  it("an answer in another form, and one that is no JSON, is refused", async () => {
    for (const { send } of [server(200, { user: { role: "god" } }), server(200)]) {
      await expect(callRoute("me", {}, send)).rejects.toMatchObject({ code: "internal" });
    }
  });
});
