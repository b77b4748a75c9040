// oxlint-disable typescript/no-unsafe-type-assertion -- the document is read as what it says it is
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rawRequest } from "../security/raw-request.ts";
import { samplePath, table } from "../security/route-samples.ts";
import { startServer, type TestServer } from "../server.ts";

interface Operation {
  requestBody?: { required: boolean };
  responses: Record<string, unknown>;
}

let server: TestServer;
let paths: Record<string, Record<string, Operation>>;
beforeAll(async () => {
  server = await startServer();
  const { body } = await ask("GET", "/api/v1/openapi.json");
  ({ paths } = JSON.parse(body) as { paths: typeof paths });
});
afterAll(() => server.stop());

const ask = (method: string, path: string) =>
  rawRequest(server.url, {
    method,
    path,
    headers: { authorization: `Bearer ${server.owner.token}` },
  });

function operationOf({ method, path }: { method: string; path: string }): Operation | undefined {
  const template = `/api/v1${path.replace(/:([A-Za-z]+)/g, "{$1}")}`;
  return paths[template]?.[method.toLowerCase()];
}

describe("the server, as its OpenAPI document has it", () => {
  it.each(table)("%s takes no body where the document lets it be left out", async (_, route) => {
    const operation = operationOf(route);
    expect(operation?.responses).toBeDefined();
    if (operation?.requestBody === undefined) {
      return;
    }
    const { status, body } = await ask(route.method, samplePath(route));
    const refused = status === 400 && body.includes('"code":"invalid"');
    expect(refused, `${status} ${body}`).toBe(operation.requestBody.required);
    expect(operation.responses).toHaveProperty(String(status));
  });

  it.each(table)("the path of %s answers another method with 405", async (_, route) => {
    for (const method of ["TRACE", "PUT"]) {
      const { status, headers, body } = await ask(method, samplePath(route));
      expect(status, method).toBe(405);
      expect(String(headers["allow"]).split(", ")).toContain(route.method);
      expect(JSON.parse(body)).toMatchObject({ error: { code: "wrong_method" } });
    }
  });

  it("an unknown path is still not found", async () => {
    expect((await ask("TRACE", "/api/v1/nothing")).status).toBe(404);
    expect((await ask("GET", "/api/v1/projects/a/b/c")).status).toBe(404);
  });

  it("has a page of all routes for people, whole without the document", async () => {
    const { status, body } = await ask("GET", "/api/docs");
    expect(status).toBe(200);
    for (const [name, { path }] of table) {
      expect(body).toContain(`<details id="${name}">`);
      expect(body).toContain(`<code>/api/v1${path}</code>`);
    }
    expect(body).not.toContain("$ref");
  });

  it("an address that is too long is 431, as each operation says", async () => {
    const { status } = await ask("GET", `/api/v1/search?q=${"x".repeat(20_000)}`);
    expect(status).toBe(431);
    for (const [, route] of table) {
      expect(operationOf(route)?.responses).toHaveProperty("431");
    }
  });
});
