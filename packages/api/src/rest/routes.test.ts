import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { pathOf, type Route } from "./route.ts";
import { routes } from "./routes.ts";

const table: [string, Route][] = Object.entries(routes);

describe("the REST routes", () => {
  it("each have a method and path of their own", () => {
    const keys = table.map(([, { method, path }]) => `${method} ${path}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("each declare exactly the parameters that their path names", () => {
    for (const [name, { path, params }] of table) {
      const named = [...path.matchAll(/:([A-Za-z]+)/g)].map((match) => match[1]);
      const json = z.toJSONSchema(params, { io: "input" });
      expect(Object.keys(json.properties ?? {}), name).toEqual(named);
    }
  });

  it("refuse unknown keys and operators in every body and query", () => {
    for (const [name, { body, query }] of table) {
      for (const schema of [body, query]) {
        const result = z.safeParse(schema, { $where: "1", unknownKey: 1 });
        expect(result.success, name).toBe(false);
      }
    }
  });

  it("never show a key or a password in an answer", () => {
    for (const [name, { answer }] of table) {
      const json = JSON.stringify(z.toJSONSchema(answer, { io: "output", unrepresentable: "any" }));
      expect(/"(apiKey|password|passwordHash)"/.test(json), name).toBe(false);
    }
  });

  it("fill in and escape a path's parameters", () => {
    expect(pathOf("/turns/:id/tools/:callId/cancel", { id: "abc", callId: "a/b?c" })).toBe(
      "/api/v1/turns/abc/tools/a%2Fb%3Fc/cancel",
    );
  });
});
