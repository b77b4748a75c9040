import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { fixtureTree } from "../../fixture-tree.ts";
import { root } from "../../shared/root.mjs";
import { isTest, sourceFiles } from "../../shared/source-files.mjs";
import { check } from "../layers.mjs";
import { houses } from "./houses.mjs";

describe.each(Object.entries(houses))("the rooms of the %s", (name, { folder, rooms, shared }) => {
  const names = Object.keys(rooms);
  const pairs = names.flatMap((from) =>
    names.filter((to) => to !== from).map((to) => ({ from, to })),
  );
  const mayImport = (from: string, to: string) => rooms[from]?.includes(to) === true;

  /** What the check says of a house with these imports, each in a file of its own. */
  async function problemsOf(imports: { from: string; to: string }[]): Promise<string[]> {
    const files: Record<string, string> = {};
    for (const [index, { from, to }] of imports.entries()) {
      const importer = from.endsWith(".ts") ? from : posix.join(from, `here-${index}.ts`);
      const way = posix.relative(posix.dirname(importer), to);
      const specifier = way.startsWith(".") ? way : `./${way}`;
      files[`${folder}/${importer}`] = `export type { There } from "${specifier}";\n`;
      files[`${folder}/${to}`] = "export type There = 1;\n";
    }
    const { problems } = await check(fixtureTree(files));
    return problems.flatMap((problem) => /: (in the .*)$/.exec(problem)?.[1] ?? []).toSorted();
  }

  it("may import what their row says, and each other import is found", async () => {
    const forbidden = pairs.filter(({ from, to }) => !mayImport(from, to));
    expect(forbidden.length).toBeGreaterThan(pairs.length / 2);
    const planted = pairs.map(({ from, to }) => ({ from, to: `${to}/there.ts` }));
    expect(await problemsOf(planted)).toEqual(
      forbidden.map(({ from, to }) => `in the ${name}, ${from} must not import ${to}`).toSorted(),
    );
  });

  it("may use the files that are for all, and no other of the root", async () => {
    const used = shared.flatMap((file) => names.map((from) => ({ from, to: `${file}.ts` })));
    expect(await problemsOf(used)).toEqual([]);
    expect(await problemsOf(names.map((from) => ({ from, to: "main.ts" })))).toEqual(
      names.map((from) => `in the ${name}, ${from} must not import main.ts`).toSorted(),
    );
  });

  it("are put together by the root, but not by its files that are for all", async () => {
    const planted = names.map((to) => ({ from: ".", to: `${to}/there.ts` }));
    expect(await problemsOf(planted)).toEqual([]);
    const [room = ""] = names;
    const wrong = shared.map((file) => ({ from: `${file}.ts`, to: `${room}/there.ts` }));
    expect(await problemsOf(wrong)).toEqual(
      shared
        .map(
          (file) =>
            `in the ${name}, ${file}.ts must not import ${room}/there.ts: every room uses it`,
        )
        .toSorted(),
    );
  });

  it("have a row each, and each row a room", async () => {
    expect(await problemsOf([{ from: "attic", to: `${names[0]}/there.ts` }])).toEqual([
      `in the ${name}, the folder of attic/here-0.ts has no rule of what it may import`,
    ]);
    const files = sourceFiles(root).filter(
      (path) => path.startsWith(`${folder}/`) && /\.tsx?$/.test(path) && !isTest(path),
    );
    const present = files.map((path) => posix.dirname(posix.relative(folder, path)));
    const inner = [...new Set(present)].filter((room) => room !== ".");
    const rowless = inner.filter((room) => !names.some((row) => `${room}/`.startsWith(`${row}/`)));
    expect(rowless).toEqual([]);
    expect(names.filter((row) => !inner.includes(row))).toEqual([]);
  });

  it("import each other one way, but for a turn's state and its log", () => {
    const mutual = pairs.filter(({ from, to }) => mayImport(from, to) && mayImport(to, from));
    expect(mutual.map(({ from }) => from)).toEqual(
      name === "server" ? ["turns/state", "turns/log"] : [],
    );
  });
});
