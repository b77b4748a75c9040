import { ProjectId, RefusalError, TurnId } from "@gadget/api";
import { describe, expect, it, vi } from "vitest";
import { user } from "../test/samples.ts";
import { createRequest } from "./api.ts";

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const json = (body: unknown, status = 200) => Response.json(body, { status });
const id = TurnId.parse("turn-0001");

describe("request", () => {
  it("fills in the path and the query, and sends the cookie to this server only", async () => {
    const fetch = vi.fn<Fetch>(async () => json({ items: [], nextCursor: null }));
    await createRequest(fetch)("listEvents", { params: { id }, query: { after: 7 } });
    expect(fetch).toHaveBeenCalledWith("/api/v1/turns/turn-0001/events?after=7", {
      method: "GET",
      headers: {},
      credentials: "same-origin",
    });
  });

  it("sends a body as JSON, also an empty one", async () => {
    const fetch = vi.fn<Fetch>(async () =>
      json({ error: { code: "not_found", message: "No." } }, 404),
    );
    const params = { id: ProjectId.parse("project-1") };
    await expect(createRequest(fetch)("createSession", { params, body: {} })).rejects.toThrow(
      "No.",
    );
    expect(fetch).toHaveBeenCalledWith(
      "/api/v1/projects/project-1/sessions",
      expect.objectContaining({ method: "POST", body: "{}" }),
    );
  });

  it("throws what the server refuses, and tells of a sign-in that is over", async () => {
    const expired = vi.fn<() => void>();
    const refused = json({ error: { code: "unauthenticated", message: "Sign in first." } }, 401);
    const request = createRequest(async () => refused, expired);
    await expect(request("me")).rejects.toMatchObject({ code: "unauthenticated" });
    expect(expired).toHaveBeenCalledOnce();
  });

  it("refuses an answer that does not have the form of its route", async () => {
    const request = createRequest(async () => json({ user: { ...user, role: "god" } }));
    await expect(request("me")).rejects.toBeInstanceOf(RefusalError);
  });

  it("calls a server that can't be reached unavailable, and says so in words", async () => {
    const request = createRequest(async () => {
      throw new TypeError("fetch failed");
    });
    await expect(request("me")).rejects.toMatchObject({ code: "unavailable" });
  });

  it("passes its signal on", async () => {
    const controller = new AbortController();
    const request = createRequest((_, { signal }) => {
      return new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new DOMException("Gone", "AbortError")));
      });
    });
    const asked = request("me", { signal: controller.signal });
    controller.abort();
    await expect(asked).rejects.toMatchObject({ name: "AbortError" });
  });
});
