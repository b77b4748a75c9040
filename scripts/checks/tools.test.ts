import { describe, expect, it } from "vitest";
import { fixtureTree } from "../fixture-tree.ts";
import { check as deadCode } from "./dead-code.mjs";
import { check as format } from "./format.mjs";
import { check as lint } from "./lint.mjs";
import { toolResult } from "./reading/run-tool.mjs";
import { check as types } from "./types.mjs";

const tsconfig = JSON.stringify({
  extends: "../tsconfig.base.json",
  include: ["."],
});
const bases = ["tsconfig.base.json", "tsconfig.node.json"];

describe("format", () => {
  const config = ["biome.json", ".gitignore"];

  it("passes a formatted file", async () => {
    const root = fixtureTree({ "a.ts": "export const a = 1;\n" }, config);
    expect(await format(root)).toMatchObject({ problems: [], summary: "2 files" });
  });

  it("fails on a file that is not formatted", async () => {
    const root = fixtureTree({ "a.ts": "export const a   = 1\n" }, config);
    expect((await format(root)).problems.join()).toContain("a.ts");
  });

  it("fails on imports that are not sorted", async () => {
    const source = 'import { b } from "./b.ts";\nimport { a } from "./a.ts";\n\nb(a);\n';
    const root = fixtureTree({ "c.ts": source }, config);
    expect((await format(root)).problems.join()).toContain("c.ts");
  });

  it("fails when there was nothing to look at", () => {
    const result = { code: 0, output: "Checked 0 files in 3ms.", stdout: "" };
    expect(toolResult("format", result, /Checked (\d+) files?/).problems).toHaveLength(1);
  });
});

describe("lint", () => {
  const config = [".oxlintrc.json", ...bases];

  it("passes a promise that is awaited", async () => {
    const source = "export async function a(): Promise<void> {\n  await a();\n}\n";
    const root = fixtureTree({ "src/a.ts": source, "src/tsconfig.json": tsconfig }, config);
    expect(await lint(root)).toMatchObject({ problems: [], summary: "1 files" });
  });

  it("fails on a floating promise", async () => {
    const source = "export async function a(): Promise<void> {\n  a();\n}\n";
    const root = fixtureTree({ "src/a.ts": source, "src/tsconfig.json": tsconfig }, config);
    expect((await lint(root)).problems.join()).toContain("no-floating-promises");
  });
});

describe("types", () => {
  it("passes what is right", async () => {
    const files = { "src/a.ts": "export const a: number = 1;\n", "src/tsconfig.json": tsconfig };
    expect((await types(fixtureTree(files, bases))).problems).toEqual([]);
  });

  it("fails on a wrong type", async () => {
    const files = { "src/a.ts": 'export const a: number = "1";\n', "src/tsconfig.json": tsconfig };
    expect((await types(fixtureTree(files, bases))).problems.join()).toContain("src/a.ts(1,14)");
  });

  it("fails on a file that no tsconfig includes", async () => {
    const files = {
      "src/a.ts": "export const a: number = 1;\n",
      "src/tsconfig.json": tsconfig,
      "other/b.ts": "export const b: number = 1;\n",
    };
    expect((await types(fixtureTree(files, bases))).problems).toEqual([
      "other/b.ts: no tsconfig includes it",
    ]);
  });
});

describe("dead-code", () => {
  const files = (main: string) => ({
    "package.json": '{ "name": "x", "type": "module" }\n',
    "knip.json": '{ "entry": ["src/main.ts"], "project": ["src/**/*.ts"] }\n',
    "src/main.ts": main,
    "src/a.ts": "export const used = 1;\nexport const unused = 2;\n",
  });

  it("fails on an export that nobody imports", async () => {
    const main = 'import { used } from "./a.ts";\n\nprocess.exit(used);\n';
    const { problems } = await deadCode(fixtureTree(files(main)));
    expect(problems.join()).toMatch(/unused\s.*src\/a\.ts/);
    expect(problems.join()).not.toMatch(/^used\s/m);
  });

  it("fails on a file that nobody imports", async () => {
    const { problems } = await deadCode(fixtureTree(files("process.exit(0);\n")));
    expect(problems.join()).toContain("Unused files");
  });

  it("passes when everything is used", async () => {
    const main = 'import { unused, used } from "./a.ts";\n\nprocess.exit(used + unused);\n';
    expect((await deadCode(fixtureTree(files(main)))).problems).toEqual([]);
  });
});
