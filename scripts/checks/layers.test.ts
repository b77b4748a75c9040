import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixtureTree } from "../fixture-tree.ts";
import { check } from "./layers.mjs";
import { packages } from "./packages.mjs";

const architecture = (edges: string) =>
  `# x\n\n<!-- packages -->\n\`\`\`mermaid\ngraph LR\n${edges}\n\`\`\`\n`;

const lawful = {
  "packages/api/src/index.ts": "export const api = 1;\n",
  "packages/ai/src/index.ts": "export const ai = 1;\n",
  "gadget-code/src/main.ts":
    'import { api } from "@gadget/api";\nimport { turn } from "./turns/submit.ts";\n\nexport const main = api + turn;\n',
  "gadget-code/src/turns/submit.ts":
    'import { model } from "../models/turn.ts";\n\nexport const turn = model;\n',
  "gadget-code/src/models/turn.ts": "export const model = 1;\n",
  "gadget-code/src/lib/code-session.ts":
    'import type { Server } from "socket.io";\n\nexport type Io = Server;\n',
  "ARCHITECTURE.md": architecture("  api[the contract] --> server\n  ai --> agent --> drone"),
};

/** Internal packages and socket.io are found through node_modules, as in the repository. */
function tree(files: Record<string, string>) {
  const root = fixtureTree({
    ...files,
    "node_modules/socket.io/package.json": '{ "name": "socket.io", "main": "index.js" }',
    "node_modules/socket.io/index.js": "exports.Server = class {};",
  });
  for (const name of ["api", "ai", "agent", "demo-model"]) {
    const link = join(root, "node_modules/@gadget", name);
    mkdirSync(dirname(link), { recursive: true });
    mkdirSync(join(root, "packages", name), { recursive: true });
    symlinkSync(join(root, "packages", name), link);
  }
  return root;
}

const manifest = (name: string) =>
  JSON.stringify({ name: `@gadget/${name}`, type: "module", exports: { ".": "./src/index.ts" } });
const manifests = {
  "packages/api/package.json": manifest("api"),
  "packages/ai/package.json": manifest("ai"),
};

const problemsOf = async (changes: Record<string, string>) =>
  (await check(tree({ ...manifests, ...lawful, ...changes }))).problems;

describe("layers", () => {
  it("passes what the design allows, and says what it saw", async () => {
    const result = await check(tree({ ...manifests, ...lawful }));
    expect(result.problems).toEqual([]);
    expect(result.summary).toBe("6 modules in 3 packages; api --> server");
  });

  it.each([
    [
      "ai imports api",
      "packages/ai/src/index.ts",
      'export { api } from "@gadget/api";\n',
      "ai-imports",
    ],
    [
      "api imports ai by a relative path",
      "packages/api/src/index.ts",
      'import { ai } from "../../ai/src/index.ts";\n\nexport const api = ai;\n',
      "api-imports",
    ],
    [
      "the page imports a type of the server",
      "gadget-code/frontend/src/main.tsx",
      'import type { model } from "../../src/models/turn.ts";\n\nexport type M = typeof model;\n',
      "frontend-imports",
    ],
    [
      "the drone imports the server",
      "gadget-drone/src/main.ts",
      'export { model } from "../../gadget-code/src/models/turn.ts";\n',
      "drone-imports",
    ],
    [
      "the command line imports ai dynamically",
      "packages/cli/src/main.ts",
      'export const ai = await import("@gadget/ai");\n',
      "cli-imports",
    ],
    [
      "a model imports a turn's verb",
      "gadget-code/src/models/turn.ts",
      'import type { turn } from "../turns/abort.ts";\n\nexport type T = typeof turn;\nexport const model = 1;\n',
      "server-models-imports",
    ],
    [
      "a turn's verb imports the sockets",
      "gadget-code/src/turns/submit.ts",
      'import type { Io } from "../lib/code-session.ts";\n\nexport const turn: Io | number = 1;\n',
      "server-turns-imports",
    ],
    [
      "a turn's verb imports socket.io",
      "gadget-code/src/turns/submit.ts",
      'import type { Server } from "socket.io";\n\nexport const turn: Server | number = 1;\n',
      "only-lib-knows-socket.io",
    ],
    [
      "an import leads nowhere",
      "packages/api/src/index.ts",
      'export { gone } from "./gone.ts";\n',
      "resolvable",
    ],
  ])("fails when %s", async (_what, path, source, rule) => {
    const abort = { "gadget-code/src/turns/abort.ts": "export const turn = 1;\n" };
    expect((await problemsOf({ ...abort, [path]: source })).join("\n")).toContain(rule);
  });

  it("fails on a cycle", async () => {
    const problems = await problemsOf({
      "packages/api/src/index.ts": 'import { b } from "./b.ts";\n\nexport const api = b;\n',
      "packages/api/src/b.ts":
        'import type { api } from "./index.ts";\n\nexport const b = 1 as typeof api;\n',
    });
    expect(problems.join("\n")).toContain("no-cycles");
  });

  it("leaves tests alone", async () => {
    const source = 'import { ai } from "@gadget/ai";\n\nexport const a = ai;\n';
    expect(await problemsOf({ "packages/api/src/a.test.ts": source })).toEqual([]);
  });

  it("fails when the picture lacks an import or shows one that is not there", async () => {
    const problems = await problemsOf({ "ARCHITECTURE.md": architecture("  ai --> server") });
    expect(problems).toEqual([
      "is so, but not in the picture of ARCHITECTURE.md: api --> server",
      "is in the picture of ARCHITECTURE.md, but not so: ai --> server",
    ]);
  });

  it("fails when there is no picture", async () => {
    expect(await problemsOf({ "ARCHITECTURE.md": "# x\n" })).toHaveLength(1);
  });

  it("fails when it sees no module", async () => {
    expect((await check(fixtureTree({ "README.md": "x" }))).problems).toEqual([
      "It saw no module.",
    ]);
  });

  it("has no package that two rules could both claim", () => {
    const folders = Object.values(packages).map(({ folder }) => `${folder}/`);
    expect(folders.filter((a) => folders.some((b) => a !== b && a.startsWith(b)))).toEqual([]);
  });
});
