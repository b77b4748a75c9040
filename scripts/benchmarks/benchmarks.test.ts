import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixtureTree } from "../fixture-tree.ts";
import { root as repository } from "../shared/root.mjs";
import { worsened } from "./compare.mjs";
import { benchmarksPage } from "./page.mjs";
import { parseRows } from "./row.mjs";
import { runBenchmarks } from "./run-benchmarks.mjs";
import { rowsTable } from "./table.mjs";

const report = (value: number, unit = "ms", noise?: number) => ({
  rows: [{ file: "a.bench.ts", name: "a", value, unit, ...(noise !== undefined && { noise }) }],
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

const words = (line: string) => line.trim().split(/\s+/);

describe("parseRows", () => {
  it("makes a spread and the noise of the samples", () => {
    const samples = Array.from({ length: 100 }, (_, index) => index + 1);
    const [row] = parseRows([{ name: "a", value: 51, unit: "ms", samples }], "a.bench.ts");
    expect(row).toEqual({
      name: "a",
      value: 51,
      unit: "ms",
      noise: 0.31,
      spread: { count: 100, p50: 51, p95: 96, p99: 100, max: 100 },
    });
  });
});

describe("benchmarksPage", () => {
  const machine = { cores: 4, processor: "Fast & <good>", memoryGb: 8, platform: "linux", load: 0 };
  const own = { file: "proof/bench/stack.bench.ts", unit: "ms" };
  const page = benchmarksPage({
    at: "2026-01-02T03:04:05.000Z",
    machine: { ...machine, node: "v22.1.0" },
    rows: [
      { ...own, name: "a < b", value: 5, target: 10, baseline: 2 },
      { ...own, name: "slow", value: 500, target: 10 },
    ],
  });

  it("says which targets were met and which missed", () => {
    expect(page.page).toContain("| a < b | 5 ms |  |  |  |  | 2 | 10 | met |");
    expect(page.page).toContain("| slow | 500 ms |  |  |  |  |  | 10 | **missed** |");
    expect(page.page).toContain("2026-01-02: 4 cores (Fast & <good>), 8 GB of memory");
    expect(page.page).toContain("![The whole product, in ms](benchmarks/stack.svg)");
  });

  it("draws value, baseline and target on an axis with its unit", () => {
    const svg = page.plots["benchmarks/stack.svg"] ?? "";
    expect(svg).toContain("a &lt; b");
    expect(svg).toContain("ms, logarithmic");
    expect(svg.match(/class="value"/g)).toHaveLength(2);
    expect(svg.match(/class="target"/g)).toHaveLength(2);
    expect(svg.match(/class="baseline"/g)).toHaveLength(1);
    const at = (kind: string) =>
      [...svg.matchAll(new RegExp(`class="${kind}" c?x1?="(\\d+)"`, "g"))].map(([, x]) =>
        Number(x),
      );
    const [fast = 0, slow = 0] = at("value");
    const [target = 0] = at("target");
    expect(fast).toBeLessThan(target);
    expect(target).toBeLessThan(slow);
  });

  const reference = join(repository, "bench/reference.json");
  it.skipIf(!existsSync(reference))("is what stands in docs", () => {
    const made = benchmarksPage(JSON.parse(readFileSync(reference, "utf8")));
    expect(readFileSync(join(repository, "docs/benchmarks.md"), "utf8")).toBe(made.page);
    for (const [name, svg] of Object.entries(made.plots)) {
      expect(readFileSync(join(repository, "docs", name), "utf8")).toBe(svg);
    }
  });
});

describe("rowsTable", () => {
  it("shows value, baseline, ratio and a missed target", () => {
    const table = rowsTable([
      { name: "start", value: 300, unit: "ms", baseline: 150, target: 200 },
      { name: "tokens", value: 5000, unit: "tokens/s", target: 4000 },
    ]);
    const [head = "", start = "", tokens = ""] = table.split("\n");
    expect(words(head)).toEqual(["value", "p95", "p99", "max", "baseline", "ratio", "target"]);
    expect(words(start).join(" ")).toBe("start 300 ms 150 ms 2.00x 200 misses its target");
    expect(words(tokens).join(" ")).toBe("tokens 5,000 tokens/s 4,000");
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
