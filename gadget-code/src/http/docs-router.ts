import { type Route, restPrefix, routes } from "@gadget/api";
import express, { type Router } from "express";
import * as z from "zod/mini";

/** The routes for people to read: one page without any script, and its style sheet. */
export function docsRouter(version: string): Router {
  const page = pageOf(version);
  const router = express.Router();
  router.get("/", (_req, res) => void res.type("html").send(page));
  router.get("/style.css", (_req, res) => void res.type("css").send(style));
  return router;
}

function pageOf(version: string): string {
  const rows = Object.entries(routes).map(([name, route]) => section(name, route));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Gadget Code API</title>
<link rel="stylesheet" href="/api/docs/style.css">
</head>
<body>
<main>
<h1>Gadget Code API ${escaped(version)}</h1>
<p>JSON in and out, under <code>${restPrefix}</code>. Send <code>Authorization: Bearer TOKEN</code>; make a token in the settings. A refusal is <code>{"error":{"code","message"}}</code>. The same as a document for programs: <a href="${restPrefix}/openapi.json">openapi.json</a>.</p>
${rows.join("\n")}
</main>
</body>
</html>
`;
}

const who = {
  public: "Needs no credential.",
  member: "",
  owner: "For owners.",
} as const;

function section(name: string, route: Route): string {
  const path = restPrefix + route.path;
  const pieces = [
    table("Query", route.query, "input"),
    table("Body", route.body, "input"),
    table(`Answer ${route.status}`, route.answer, "output"),
  ];
  return `<details id="${escaped(name)}">
<summary><b>${route.method}</b> <code>${escaped(path)}</code> <span>${escaped(route.summary)}</span></summary>
<p>${escaped(who[route.access])}</p>
${pieces.join("\n")}
</details>`;
}

function table(title: string, schema: z.core.$ZodType, io: "input" | "output"): string {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  const { properties = {} } = json;
  if (Object.keys(properties).length === 0) {
    return "";
  }
  return `<h3>${escaped(title)}</h3><pre>${escaped(JSON.stringify(json, null, 1))}</pre>`;
}

function escaped(text: string): string {
  const entities: Record<string, string> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
  };
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

const style = `:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
a { color: light-dark(#2f54d0, #8aa5ff); }
main { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
details { border-top: 1px solid #8885; padding: 0.4rem 0; }
summary { cursor: pointer; }
summary b { display: inline-block; min-width: 4.5rem; }
summary span { opacity: 0.75; }
pre { overflow: auto; max-height: 24rem; padding: 0.75rem; background: #8882; border-radius: 6px; font-size: 12px; }
`;
