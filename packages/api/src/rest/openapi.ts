// oxlint-disable typescript/no-unsafe-type-assertion -- zod types its JSON Schema more loosely than what it makes
import * as z from "zod/mini";
import { Refusal } from "../refusal.ts";
import { type Route, refusalStatuses, restPrefix } from "./route.ts";
import { routes } from "./routes.ts";

interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  [key: string]: unknown;
}

function schemaOf(schema: z.core.$ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return json as JsonSchema;
}

function parametersOf(schema: z.core.$ZodType, where: "path" | "query"): object[] {
  const { properties = {}, required = [] } = schemaOf(schema, "input");
  return Object.entries(properties).map(([name, type]) => ({
    name,
    in: where,
    required: where === "path" || required.includes(name),
    schema: type,
  }));
}

function operation(name: string, route: Route): object {
  const body = schemaOf(route.body, "input");
  const hasBody = Object.keys(body.properties ?? {}).length > 0;
  const content: Record<string, object> = {
    "application/json": { schema: schemaOf(route.answer, "output") },
  };
  for (const type of route.alternatives ?? []) content[type] = { schema: { type: "string" } };
  const refused = refusalStatuses.map((status) => [
    String(status),
    { $ref: "#/components/responses/Refusal" },
  ]);
  return {
    operationId: name,
    summary: route.summary,
    security: route.access === "public" ? [] : [{ bearer: [] }, { cookie: [] }],
    parameters: [...parametersOf(route.params, "path"), ...parametersOf(route.query, "query")],
    ...(hasBody && {
      requestBody: { required: true, content: { "application/json": { schema: body } } },
    }),
    responses: {
      [String(route.status)]: { description: "Done.", content },
      ...Object.fromEntries(refused),
    },
  };
}

/** The OpenAPI 3.1 document of the route table. */
export function openApiDocument(version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, route] of Object.entries(routes)) {
    const path = restPrefix + route.path.replace(/:([A-Za-z]+)/g, "{$1}");
    const operations = (paths[path] ??= {});
    operations[route.method.toLowerCase()] = operation(name, route);
  }
  return {
    openapi: "3.1.0",
    info: { title: "Gadget Code", version, license: { name: "MIT", identifier: "MIT" } },
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        cookie: { type: "apiKey", in: "cookie", name: "gadget_session" },
      },
      responses: {
        Refusal: {
          description: "Refused: the code is stable, the message says what to do next.",
          content: { "application/json": { schema: schemaOf(Refusal, "output") } },
        },
      },
    },
  };
}
