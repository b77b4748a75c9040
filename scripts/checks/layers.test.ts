import { describe, expect, it } from "vitest";
import { fixtureTree } from "../fixture-tree.ts";
import { check } from "./layers.mjs";
import { packages } from "./reading/packages.mjs";

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

const manifest = (name: string) =>
  JSON.stringify({ name: `@gadget/${name}`, type: "module", exports: { ".": "./src/index.ts" } });
const manifests = {
  "packages/api/package.json": manifest("api"),
  "packages/ai/package.json": manifest("ai"),
};

const problemsOf = async (changes: Record<string, string>) =>
  (await check(fixtureTree({ ...manifests, ...lawful, ...changes }))).problems;

describe("layers", () => {
  it("passes what the design allows, and says what it saw", async () => {
    const result = await check(fixtureTree({ ...manifests, ...lawful }));
    expect(result.problems).toEqual([]);
    expect(result.summary).toBe("6 modules in 3 packages; api --> server");
  });

  it.each([
    [
      "ai imports api",
      "packages/ai/src/index.ts",
      'export { api } from "@gadget/api";\n',
      "ai must not import api",
    ],
    [
      "api imports ai by a relative path",
      "packages/api/src/index.ts",
      'import { ai } from "../../ai/src/index.ts";\n\nexport const api = ai;\n',
      "api must not import ai",
    ],
    [
      "the page imports a type of the server",
      "gadget-code/frontend/src/main.tsx",
      'import type { model } from "../../src/models/turn.ts";\n\nexport type M = typeof model;\n',
      "frontend must not import server",
    ],
    [
      "the drone imports the server",
      "gadget-drone/src/main.ts",
      'export { model } from "../../gadget-code/src/models/turn.ts";\n',
      "drone must not import server",
    ],
    [
      "the drone imports what is for tests",
      "gadget-drone/src/link/outbox.ts",
      'export { eventually } from "../../../packages/testing/src/eventually.ts";\n',
      "drone must not import testing",
    ],
    [
      "the command line imports ai dynamically",
      "packages/cli/src/main.ts",
      'export const ai = await import("@gadget/ai");\n',
      "cli must not import ai",
    ],
    [
      "a model imports a turn's verb",
      "gadget-code/src/models/turn.ts",
      'import type { turn } from "../turns/abort.ts";\n\nexport type T = typeof turn;\nexport const model = 1;\n',
      "models must not import turns",
    ],
    [
      "a turn's verb imports the sockets",
      "gadget-code/src/turns/submit.ts",
      'import type { Io } from "../lib/code-session.ts";\n\nexport const turn: Io | number = 1;\n',
      "turns must not import lib",
    ],
    [
      "a turn's verb imports socket.io",
      "gadget-code/src/turns/submit.ts",
      'import type { Server } from "socket.io";\n\nexport const turn: Server | number = 1;\n',
      "only lib imports socket.io",
    ],
    [
      "a room of the server imports its entry",
      "gadget-code/src/models/turn.ts",
      'export { main as model } from "../main.ts";\n',
      "models must not import main.ts",
    ],
    [
      "what all rooms use imports one of them",
      "gadget-code/src/config.ts",
      'export { model } from "./models/turn.ts";\n',
      "config.ts must not import models/turn.ts",
    ],
    [
      "the server has a folder that no rule knows",
      "gadget-code/src/attic/old.ts",
      'export { model } from "../models/turn.ts";\n',
      "the folder of attic/old.ts has no rule of what it may import",
    ],
    [
      "a handler's router imports the handler",
      "gadget-code/src/http/router.ts",
      'export { b } from "./handlers/b.ts";\n',
      "http must not import http/handlers",
    ],
    [
      "a component imports a type of the drone in passing",
      "gadget-code/frontend/src/App.tsx",
      'export const App = () => <p title={"" as import("../../../gadget-drone/src/main.ts").Name} />;\n',
      "frontend must not import drone",
    ],
    [
      "source imports a test",
      "packages/ai/src/index.ts",
      'export { a } from "./a.test.ts";\n',
      "source must not import tests",
    ],
    [
      "a package is imported by a name that it does not export",
      "gadget-code/src/main.ts",
      'export { a } from "@gadget/api/inside";\n',
      "it leads nowhere",
    ],
    [
      "an import leads nowhere",
      "packages/api/src/index.ts",
      'export { gone } from "./gone.ts";\n',
      "it leads nowhere",
    ],
  ])("fails when %s", async (_what, path, source, rule) => {
    const others = {
      "gadget-code/src/turns/abort.ts": "export const turn = 1;\n",
      "gadget-drone/src/main.ts": "export type Name = string;\n",
      "packages/ai/src/a.test.ts": "export const a = 1;\n",
      "packages/testing/src/eventually.ts": "export const eventually = 1;\n",
      "gadget-code/src/http/handlers/b.ts": "export const b = 1;\n",
    };
    expect((await problemsOf({ ...others, [path]: source })).join("\n")).toContain(rule);
  });

  it("fails on a cycle", async () => {
    const problems = await problemsOf({
      "packages/api/src/index.ts": 'import { b } from "./b.ts";\n\nexport const api = b;\n',
      "packages/api/src/b.ts":
        'import type { api } from "./index.ts";\n\nexport const b = 1 as typeof api;\n',
    });
    expect(problems).toEqual(["a cycle: packages/api/src/index.ts -> packages/api/src/b.ts"]);
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
    const { problems } = await check(fixtureTree({ "README.md": "x" }));
    expect(problems).toContain("It saw no module.");
  });

  it("has no package that two rules could both claim", () => {
    const folders = Object.values(packages).map(({ folder }) => `${folder}/`);
    expect(folders.filter((a) => folders.some((b) => a !== b && a.startsWith(b)))).toEqual([]);
  });
});
