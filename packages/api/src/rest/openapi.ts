// oxlint-disable typescript/no-unsafe-type-assertion -- zod types its JSON Schema more loosely than what it makes
import * as z from "zod/mini";
import { Refusal, refusals } from "../refusal.ts";
import { type Route, refusalStatuses, restPrefix } from "./route.ts";
import { routes } from "./routes.ts";
import { kindsOf, schemaNames } from "./schema-names.ts";

interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  [key: string]: unknown;
}

const names = schemaNames();
const place = "#/components/schemas/";

/** Named schemas are put into `named`, and are references where they are used. */
function schemaOf(
  schema: z.core.$ZodType,
  io: "input" | "output",
  named: Map<string, JsonSchema>,
): JsonSchema {
  const {
    $schema: _,
    $defs = {},
    ...json
  } = z.toJSONSchema(schema, {
    io,
    metadata: names,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const discriminator = discriminatorOf(zodSchema);
      if (discriminator !== undefined) {
        Object.assign(jsonSchema, { discriminator });
      }
    },
  });
  for (const [name, definition] of Object.entries($defs)) {
    const known = named.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(definition)) {
      throw new Error(`${name} is not the same in requests and in answers: give each its own.`);
    }
    named.set(name, definition as JsonSchema);
  }
  return json as JsonSchema;
}

function discriminatorOf(schema: z.core.$ZodType): object | undefined {
  const union = kindsOf(schema);
  if (union === undefined) {
    return undefined;
  }
  const mapping: Record<string, string> = {};
  for (const [value, kind] of union.kinds) {
    const name = names.get(kind)?.id;
    if (name === undefined) {
      return undefined;
    }
    mapping[value] = place + name;
  }
  return { propertyName: union.key, mapping };
}

function parametersOf(
  schema: z.core.$ZodType,
  where: "path" | "query",
  named: Map<string, JsonSchema>,
): object[] {
  const { properties = {}, required = [] } = schemaOf(schema, "input", named);
  return Object.entries(properties).map(([name, type]) => ({
    name,
    in: where,
    required: where === "path" || required.includes(name),
    schema: type,
  }));
}

function operation(name: string, route: Route, named: Map<string, JsonSchema>): object {
  const body = schemaOf(route.body, "input", named);
  const hasBody = Object.keys(body.properties ?? {}).length > 0;
  const content: Record<string, object> = {
    "application/json": { schema: schemaOf(route.answer, "output", named) },
  };
  for (const type of route.alternatives ?? []) {
    content[type] = { schema: { type: "string" } };
  }
  const refused = refusalStatuses
    .filter((status) => status !== refusals.wrong_method.status)
    .map((status) => [String(status), { $ref: "#/components/responses/Refusal" }]);
  return {
    operationId: name,
    summary: route.summary,
    security: route.access === "public" ? [] : [{ bearer: [] }, { cookie: [] }],
    parameters: [
      ...parametersOf(route.params, "path", named),
      ...parametersOf(route.query, "query", named),
    ],
    ...(hasBody && {
      requestBody: {
        // No body is an empty one.
        required: !z.safeParse(route.body, {}).success,
        content: { "application/json": { schema: body } },
      },
    }),
    responses: {
      [String(route.status)]: { description: "Done.", content },
      ...Object.fromEntries(refused),
      // Said by Node before there is a request.
      "431": { $ref: "#/components/responses/HeadersTooLarge" },
    },
  };
}

/** The OpenAPI 3.1 document of the route table. */
export function openApiDocument(version: string): object {
  const named = new Map<string, JsonSchema>();
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, route] of Object.entries(routes)) {
    const path = restPrefix + route.path.replace(/:([A-Za-z]+)/g, "{$1}");
    const operations = (paths[path] ??= {});
    operations[route.method.toLowerCase()] = operation(name, route, named);
  }
  const refusal = { "application/json": { schema: schemaOf(Refusal, "output", named) } };
  const schemas = [...named].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const document = {
    openapi: "3.1.0",
    info: {
      title: "Gadget Code",
      version,
      description,
      license: { name: "MIT", identifier: "MIT" },
    },
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        cookie: { type: "apiKey", in: "cookie", name: "gadget_session" },
      },
      responses: {
        Refusal: {
          description: "Refused: the code is stable, the message says what to do next.",
          content: refusal,
        },
        HeadersTooLarge: {
          description:
            "The address and the headers are longer than 16 kB together. There is no body.",
        },
      },
      schemas: Object.fromEntries(schemas),
    },
  };
  return JSON.parse(JSON.stringify(document).replaceAll('"#/$defs/', `"${place}`)) as object;
}

const description =
  "JSON in and out. A path answers a method that it does not have with 405, a refusal like any other, and names those that it has in Allow.";
