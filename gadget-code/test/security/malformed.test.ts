import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../server.ts";
import { rawRequest } from "./raw-request.ts";
import { routeSample, samplePath, table, unsafe } from "./route-samples.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const credential = () => ({ authorization: `Bearer ${server.owner.token}` });
const json = () => ({ ...credential(), "content-type": "application/json" });
const messageOf = (body: string): string =>
  (JSON.parse(body) as { error: { message: string } }).error.message;

/** The strings of a sample, each in turn with something that is no text. */
function* spoiled(value: unknown, with_: string): Generator {
  if (typeof value !== "object" || value === null) {
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === "string") {
      yield { ...value, [key]: item + with_ };
    }
    for (const inner of spoiled(item, with_)) {
      yield { ...value, [key]: inner };
    }
  }
}

describe("a body that can't be read", () => {
  it.each(unsafe)("is 400 for %s, with or without a credential", async (_, route) => {
    const { method } = route;
    const path = samplePath(route);
    const body = JSON.stringify(routeSample(route).body);
    for (const headers of [
      { ...json(), "content-encoding": "evil" },
      { ...json(), "content-type": "application/json; charset=evil" },
      { "content-type": "application/json", "content-encoding": "evil" },
    ]) {
      const answer = await rawRequest(server.url, { method, path, headers, body });
      expect(answer.status).toBe(400);
      expect(messageOf(answer.body)).toContain("JSON in UTF-8");
    }
    for (const broken of ["{", "null", "[]", '"text"', "", "\u0000"]) {
      const answer = await rawRequest(server.url, { method, path, headers: json(), body: broken });
      expect(answer.status, broken).toBeLessThan(500);
    }
  });

  it.each(unsafe)("and is no UTF-8 is 400 for %s", async (_, route) => {
    const { method } = route;
    const answer = await new Promise<number>((resolve, reject) => {
      const sent = request(server.url + samplePath(route), { method, headers: json() });
      sent.on("error", reject);
      sent.on("response", (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.end(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]));
    });
    expect(answer).toBe(400);
  });

  it.each(unsafe)("or is none at all is no failure of %s", async (_, route) => {
    const { method } = route;
    const path = samplePath(route);
    const { status } = await rawRequest(server.url, { method, path, headers: credential() });
    expect(status).toBeLessThan(500);
  });
});

describe("what is no text", () => {
  it.each(unsafe)("is refused in every string of the body of %s", async (name, route) => {
    for (const character of ["\u0000", "\uD800"]) {
      for (const body of spoiled(routeSample(route).body, character)) {
        const { params } = routeSample(route);
        const response = await server.owner.send(name, { params, body });
        expect(response.status, JSON.stringify(body)).toBe(400);
      }
    }
  });

  it.each(table)("is refused in the query of %s", async (_, route) => {
    const { method } = route;
    for (const query of ["q=%00", "q=a%00b", "q=%ff", "path=%00", "cursor=%00", "limit=%00"]) {
      const path = `${samplePath(route)}?${query}`;
      const { status } = await rawRequest(server.url, { method, path, headers: credential() });
      expect(status, query).toBe(400);
    }
  });
});

describe("an address that can't be read", () => {
  const withIds = table.filter(([, { path }]) => path.includes(":"));

  it.each(withIds)("is 400 for %s, and says that it is the address", async (_, route) => {
    const { method } = route;
    for (const id of ["%zz", "%ff", "%"]) {
      const path = `/api/v1${route.path.replace(/:[A-Za-z]+/, id).replaceAll(/:[A-Za-z]+/g, "x")}`;
      const answer = await rawRequest(server.url, { method, path, headers: credential() });
      expect(answer.status, id).toBe(400);
      expect(messageOf(answer.body)).toContain("address");
    }
  });

  it("is not logged as a failure of the server", () => {
    expect(server.logs.filter((line) => line.includes("a request failed"))).toEqual([]);
  });
});

it.each(table)("TRACE of %s is 405", async (_, route) => {
  const path = samplePath(route);
  const answer = await rawRequest(server.url, { method: "TRACE", path, headers: credential() });
  expect(answer.status).toBe(405);
  expect(answer.headers.allow).toContain(route.method);
});

describe("every list", () => {
  const lists = table.filter(([, { answer, method }]) => {
    if (method !== "GET") {
      return false;
    }
    const shape = Reflect.get(Reflect.get(Reflect.get(answer, "_zod"), "def"), "shape") as object;
    return Object.hasOwn(shape ?? {}, "nextCursor");
  });

  it("is one of these", () => {
    expect(lists.length).toBeGreaterThan(10);
  });

  it.each(lists)("%s takes limit and cursor, and refuses what is neither", async (name, route) => {
    const { params } = routeSample(route);
    const first = name === "search" ? { q: "x" } : {};
    const cursor = name === "getTranscript" ? "before" : "cursor";
    for (const query of [{ limit: "0" }, { limit: "x" }, { limit: "100000" }]) {
      const response = await server.owner.send(name, { params, query: { ...first, ...query } });
      expect(response.status, JSON.stringify(query)).toBe(400);
    }
    for (const [key, value] of [
      ["limit", "1"],
      [cursor, "x".repeat(3_000)],
    ] as const) {
      const query = { ...first, [key]: value };
      const response = await server.owner.send(name, { params, query });
      const { error } = (await response.json()) as { error?: { message: string } };
      expect(response.status).toBeLessThan(500);
      expect(error?.message ?? "").not.toContain("unknown key");
    }
  });
});
