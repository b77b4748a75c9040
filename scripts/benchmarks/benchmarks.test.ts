import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixtureTree } from "../fixture-tree.ts";
import { root as repository } from "../root.mjs";
import { worsened } from "./compare.mjs";
import { parseRows } from "./row.mjs";
import { runBenchmarks } from "./run-benchmarks.mjs";
import { rowsTable } from "./table.mjs";

const report = (value: number, unit = "ms", noise?: number) => ({
  rows: [{ file: "a.bench.ts", name: "a", value, unit, ...(noise === undefined ? {} : { noise }) }],
});

describe("worsened", () => {
  it.each([
    ["a longer time", report(100), report(120), 1],
    ["a shorter time", report(100), report(80), 0],
    ["a longer time within the noise", report(100), report(109), 0],
    ["a longer time within its own noise", report(100, "ms", 0.5), report(140), 0],
    ["a lower rate", report(100, "events/s"), report(80, "events/s"), 1],
    ["a higher rate", report(100, "events/s"), report(120, "events/s"), 0],
    ["a new number", { rows: [] }, report(100), 0],
  ])("judges %s", (_what, before, after, count) => {
    expect(worsened(before, after)).toHaveLength(count);
  });
});

describe("rowsTable", () => {
  it("shows value, baseline, ratio and a missed target", () => {
    const table = rowsTable([
      { name: "start", value: 300, unit: "ms", baseline: 150, target: 200 },
      { name: "tokens", value: 5000, unit: "tokens/s", target: 4000 },
    ]);
    expect(table.split("\n")[1]).toBe(
      "start           300 ms    150 ms  2.00x     200  misses its target",
    );
    expect(table.split("\n")[2]).toBe("tokens  5,000 tokens/s                    4,000");
  });
});

describe("runBenchmarks", () => {
  it("runs what bench folders export and writes a report", async () => {
    const source =
      "export const bench = async () => [{ name: 'a' as string, value: 1, unit: 'ms' }];\n";
    const root = fixtureTree({
      "package.json": '{ "type": "module" }',
      "x/bench/a.bench.ts": source,
      "x/bench/b.bench.ts": "throw 1;\n",
    });
    symlinkSync(join(repository, "node_modules"), join(root, "node_modules"));
    expect(await runBenchmarks(root, ["a.bench"])).toBe(0);
    const [name = ""] = readdirSync(join(root, "bench/results"));
    const { rows } = JSON.parse(readFileSync(join(root, "bench/results", name), "utf8"));
    expect(rows).toEqual([{ name: "a", value: 1, unit: "ms", file: "x/bench/a.bench.ts" }]);
    expect(await runBenchmarks(root, [])).toBe(1);
  });

  it.each([[[]], [[{ name: "a", value: "1", unit: "ms" }]], [undefined]])("refuses %j", (rows) => {
    expect(() => parseRows(rows, "a.bench.ts")).toThrow("a.bench.ts");
  });
});
