import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { fixtureTree } from "../../fixture-tree.ts";
import { root } from "../../shared/root.mjs";
import { isTest, sourceFiles } from "../../shared/source-files.mjs";
import { check } from "../layers.mjs";
import { mayImport } from "./broken-drone-rule.mjs";

const source = "gadget-drone/src";
const folders = Object.keys(mayImport);

/** What the check says of a drone with these imports, each in a file of its own. */
async function problemsOf(imports: { from: string; to: string }[]): Promise<string[]> {
  const files: Record<string, string> = {};
  for (const [index, { from, to }] of imports.entries()) {
    const importer = posix.join(from, `here-${index}.ts`);
    const way = posix.relative(from, to);
    const specifier = way.startsWith(".") ? way : `./${way}`;
    files[`${source}/${importer}`] = `export type { There } from "${specifier}";\n`;
    files[`${source}/${to}`] = "export type There = 1;\n";
  }
  const { problems } = await check(fixtureTree(files));
  return problems.flatMap((problem) => /: (in the drone, .*)$/.exec(problem)?.[1] ?? []);
}

describe("the folders of the drone", () => {
  it("may import what their row says, and each other import is found", async () => {
    const pairs = folders.flatMap((from) =>
      folders.filter((to) => to !== from).map((to) => ({ from, to })),
    );
    const forbidden = pairs.filter(({ from, to }) => mayImport[from]?.includes(to) !== true);
    expect(forbidden.length).toBeGreaterThan(pairs.length / 2);
    const planted = pairs.map(({ from, to }) => ({ from, to: `${to}/there.ts` }));
    expect((await problemsOf(planted)).toSorted()).toEqual(
      forbidden.map(({ from, to }) => `in the drone, ${from} must not import ${to}`).toSorted(),
    );
  });

  it("may use what knows nothing of a drone, and nothing else of the root", async () => {
    expect(await problemsOf(folders.map((from) => ({ from, to: "breath.ts" })))).toEqual([]);
    const problems = await problemsOf(folders.map((from) => ({ from, to: "settings.ts" })));
    expect(problems.toSorted()).toEqual(
      folders.map((from) => `in the drone, ${from} must not import settings.ts`).toSorted(),
    );
  });

  it("are put together by the root", async () => {
    const planted = folders.map((to) => ({ from: ".", to: `${to}/there.ts` }));
    expect(await problemsOf(planted)).toEqual([]);
  });

  it("have a row each", async () => {
    expect(await problemsOf([{ from: "misc", to: "process/there.ts" }])).toEqual([
      "in the drone, misc has no rule of what it may import",
    ]);
    const files = sourceFiles(root).filter(
      (path) => path.startsWith(`${source}/`) && !isTest(path),
    );
    const present = files.map((path) => posix.dirname(posix.relative(source, path)));
    expect(new Set(present)).toEqual(new Set([".", ...folders]));
  });
});
