// oxlint-disable typescript/no-unsafe-type-assertion -- a document is read as what it says it is
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { turnEventTypes } from "../turn-event.ts";
import { openApiDocument } from "./openapi.ts";
import { routes } from "./routes.ts";

interface Operation {
  operationId: string;
  security: unknown[];
  requestBody?: { required: boolean };
  responses: Record<string, unknown>;
}

interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Record<string, unknown>>; responses: object };
}

const document = openApiDocument("1.2.3") as Document;
const { schemas } = document.components;
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

/** Each object of a document, with the parts that lead there. */
function* objectsIn(value: unknown, path: string[] = []): Generator<[string[], object]> {
  if (typeof value !== "object" || value === null) {
    return;
  }
  yield [path, value];
  for (const [key, inner] of Object.entries(value)) {
    yield* objectsIn(inner, [...path, key]);
  }
}

const objects = [...objectsIn(document)];

describe("the OpenAPI document", () => {
  it("has every route, and says which ones need no credential", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
      Object.keys(routes).sort(),
    );
    const open = operations.filter(({ security }) => security.length === 0);
    expect(open.map(({ operationId }) => operationId).sort()).toEqual([
      "acceptInvitation",
      "enrollDrone",
      "login",
      "readInvitation",
      "setup",
      "setupState",
    ]);
  });

  it("names the contract's schemas as the contract does", () => {
    const expected =
      "ApiToken ApprovalMode AuditEntry BackgroundCommand ChatSession ChatTurn Drone FileDiff Instant Member Model Part Project Provider QueuedMessage Refusal Stopped TextPart ToolPart Transcript TurnEvent TurnStatus TurnWithTranscript Usage Workspace WorkspaceFile";
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(expected.split(" ")));
    expect(Object.keys(schemas).filter((name) => name.endsWith("Id"))).toEqual(["CallId"]);
  });

  it("names each kind of an event, and says how to tell which one it is", () => {
    const { oneOf, discriminator } = schemas["TurnEvent"] as {
      oneOf: { $ref: string }[];
      discriminator: { propertyName: string; mapping: Record<string, string> };
    };
    expect(discriminator.propertyName).toBe("type");
    expect(Object.keys(discriminator.mapping)).toEqual(turnEventTypes);
    expect(oneOf.map(({ $ref }) => $ref)).toEqual(Object.values(discriminator.mapping));
    expect(discriminator.mapping["text:delta"]).toBe("#/components/schemas/TextDeltaTurnEvent");
    expect(schemas["TextDeltaTurnEvent"]).toMatchObject({
      properties: { type: { const: "text:delta" }, text: { type: "string" } },
    });
  });

  it("has what each reference leads to, and uses each schema that it names", () => {
    const refs = objects.flatMap(([, value]) => ("$ref" in value ? [String(value.$ref)] : []));
    for (const ref of new Set(refs)) {
      const found = ref
        .slice("#/".length)
        .split("/")
        .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
      expect(found, ref).toBeTypeOf("object");
    }
    for (const name of Object.keys(schemas)) {
      expect(refs).toContain(`#/components/schemas/${name}`);
    }
    expect(JSON.stringify(document)).not.toContain("$defs");
  });

  it("has nothing large without a name twice", () => {
    const told = new Map<string, string[]>();
    for (const [path, value] of objects) {
      const text = JSON.stringify(value);
      const isSchema = "type" in value || "oneOf" in value || "anyOf" in value;
      const isNamed = path.length === 3 && path[1] === "schemas";
      if (!isSchema || isNamed || text.length < 250) {
        continue;
      }
      told.set(text, [...(told.get(text) ?? []), path.join("/")]);
    }
    expect([...told.values()].filter((places) => places.length > 1)).toEqual([]);
    expect(JSON.stringify(document).length).toBeLessThan(150_000);
  });

  it("wants a body exactly where none would be refused", () => {
    for (const { operationId, requestBody } of operations) {
      const { body } = routes[operationId as keyof typeof routes];
      if (requestBody === undefined) {
        continue;
      }
      expect(requestBody.required, operationId).toBe(!z.safeParse(body, {}).success);
    }
    const required = new Map(
      operations.map(({ operationId, requestBody }) => [operationId, requestBody?.required]),
    );
    expect(required.get("createProject")).toBe(true);
    expect(required.get("submitTurn")).toBe(true);
    expect(required.get("updateProject")).toBe(false);
    expect(required.get("startClone")).toBe(false);
    expect(required.get("deleteProject")).toBeUndefined();
  });

  it("has the refusals that an operation can give, also Node's own", () => {
    for (const { operationId, responses } of operations) {
      expect(responses["400"], operationId).toEqual({ $ref: "#/components/responses/Refusal" });
      expect(responses["431"], operationId).toEqual({
        $ref: "#/components/responses/HeadersTooLarge",
      });
      expect(responses, operationId).not.toHaveProperty("405");
    }
  });
});
