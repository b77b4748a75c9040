import { describe, expect, it } from "vitest";
import { fixtureTree } from "../fixture-tree.ts";
import { check as deadCode } from "./dead-code.mjs";
import { check as format } from "./format.mjs";
import { check as lint } from "./lint.mjs";
import { groups, check as names } from "./names.mjs";
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
  const config = [".oxlintrc.json", "scripts/lint/dialect.mjs", ...bases];

  // The second file is the dialect's own rules.
  it("passes a promise that is awaited", async () => {
    const source = "export async function a(): Promise<void> {\n  await a();\n}\n";
    const root = fixtureTree({ "src/a.ts": source, "src/tsconfig.json": tsconfig }, config);
    expect(await lint(root)).toMatchObject({ problems: [], summary: "2 files" });
  });

  it("fails on a floating promise", async () => {
    const source = "export async function a(): Promise<void> {\n  a();\n}\n";
    const root = fixtureTree({ "src/a.ts": source, "src/tsconfig.json": tsconfig }, config);
    expect((await lint(root)).problems.join()).toContain("no-floating-promises");
  });

  it.each([
    ["private-names", "export class A {\n  private a = 1;\n  b = this.a;\n}\n"],
    ["private-names", "export class A {\n  constructor(private a: number) {}\n}\n"],
    ["constant-names", "export const MANY_THINGS = 1;\n"],
    ["optional-spread", "export const a = (b?: 1) => ({ ...(b === undefined ? {} : { b }) });\n"],
    ["optional-spread", "export const a = (b?: 1) => ({ ...(b ? { b } : {}) });\n"],
  ])("fails on another dialect: %s", async (rule, source) => {
    const root = fixtureTree({ "src/a.ts": source, "src/tsconfig.json": tsconfig }, config);
    expect((await lint(root)).problems.join()).toContain(rule);
  });

  it("passes the words that a language has only one of", async () => {
    const source =
      "export class A {\n  static of = () => new A();\n  #b = 1;\n  b = () => this.#b;\n  private constructor() {}\n}\n";
    const root = fixtureTree({ "src/a.ts": source, "src/tsconfig.json": tsconfig }, config);
    expect((await lint(root)).problems).toEqual([]);
  });
});

describe("names", () => {
  const problemsOf = async (files: Record<string, string>) =>
    (await names(fixtureTree(files))).problems.filter((problem) => !problem.endsWith(" is gone"));

  it.each([
    ["packages/api/src/stored-user.ts", "export interface StoredUser {}\n"],
    ["packages/api/src/users.ts", "export const userHandlers = {};\n"],
    ["packages/ai/src/openai.ts", "export function createOpenAi() {}\n"],
    ["gadget-code/frontend/src/ui/Button.tsx", "export function Button() {}\n"],
    ["packages/api/src/cover.ts", "export { coverStart } from './x.ts';\n"],
  ])("passes %s, which is named for what it exports", async (path, source) => {
    expect(await problemsOf({ [path]: source })).toEqual([]);
  });

  it("fails on a file that is named for nothing that it exports", async () => {
    const source = "export function shorten() {}\nexport const limit = 1;\n";
    expect(await problemsOf({ "packages/api/src/helpers.ts": source })).toEqual([
      "packages/api/src/helpers.ts exports shorten, limit: name it for its main export",
    ]);
  });

  it("fails on an exception that is none any more", async () => {
    const [path = ""] = groups;
    const exported = path.replace(/^.*\/|\.[a-z]+$/g, "").replaceAll("-", "");
    const { problems } = await names(fixtureTree({ [path]: `export const ${exported} = 1;\n` }));
    expect(problems).toContain(`${path} is named for an export: it needs no exception`);
    expect(problems).toContain(`${groups[1]} is gone`);
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
