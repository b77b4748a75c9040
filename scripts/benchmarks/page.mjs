import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Problem } from "../shared/problem.mjs";
import { plot } from "./plot.mjs";
import { missesTarget } from "./row.mjs";
import { shortNumber } from "./table.mjs";

/** @typedef {import("./row.mjs").Row & { file: string }} Row */
/**
 * @typedef {object} Report
 * @property {string} at
 * @property {{ cores: number, processor: string, memoryGb: number, platform: string, node: string, load: number }} machine
 * @property {Row[]} rows
 */

/**
 * What each benchmark is about, in the order of the page.
 * @type {{ file: string, title: string, name: string, note?: string }[]}
 */
const chapters = [
  { file: "proof/bench/stack.bench.ts", title: "The whole product", name: "stack" },
  { file: "proof/bench/load.bench.ts", title: "Many at once", name: "load" },
  { file: "gadget-drone/bench/drone.bench.ts", title: "A drone", name: "drone" },
  {
    file: "gadget-drone/bench/main-thread.bench.ts",
    title: "The drone's thread",
    name: "thread",
    note: "How long it works without taking up anything else, at the most (rule A54): its own time, without that of other programs. Measured on 2026-11-19.",
  },
  { file: "gadget-drone/bench/supervisor.bench.ts", title: "Commands", name: "commands" },
  { file: "packages/ai/bench/ai.bench.ts", title: "Talking to a model", name: "model" },
  { file: "gadget-code/frontend/bench/page.bench.ts", title: "The page", name: "page" },
  { file: "gadget-code/bench/long-session.bench.ts", title: "A long session", name: "long" },
  {
    file: "packages/embedded-mongo/bench/embedded-mongo.bench.ts",
    title: "The embedded database",
    name: "database",
  },
];

const competitors = `## Others

Measured side by side on one machine earlier: text and shell turns against a scripted model, median / max in ms.

| | codex 0.169 | pi 0.87 | opencode 1.18 | qwen 0.24 |
|---|---|---|---|---|
| abort → upstream closed, text | 2.3 / 5 | 1.7 / 10 | 14 / 26 | 2.1 / 11 |
| abort → turn ended, text | 21 / 29 | 4 / 13 | 30 / 67 | 5 / 20 |
| shell aborted: last sign of life | never stopped | at once | at once | at once |
| a command that ignores TERM | never stopped | at once | 3,000 | 200 |
| processes alive 5 s later (main / background / setsid), of 10 | 10/10/10 | 0/0/10 | 0/0/10 | 0/0/10 |
| start to ready | 191 | 1,548 | 4,329 | 3,225 |
| idle memory, then after 20 turns, MB | 122, 154 | 142, 197 | 334, 605 | 516, 668 |
| 5,000 tokens, first byte → turn ended | 316 | 480 | 2,580 | 1,172 |

These run in one process beside the user; here a browser, a server, a database and a drone are in between, and
everything is stored.
`;

/**
 * The page of a report, and its plots by their file names.
 * @param {Report} report
 */
export function benchmarksPage({ at, machine, rows }) {
  /** @type {Record<string, string>} */
  const plots = {};
  const known = chapters.map(({ file }) => file);
  const others = [...new Set(rows.map(({ file }) => file))].filter((file) => !known.includes(file));
  const unnamed = others.map((file) => {
    const name = file.replace(/^.*\//, "").replace(".bench.ts", "");
    return { file, title: name, name, note: undefined };
  });
  const parts = [...chapters, ...unnamed].flatMap(({ file, title, name, note }) => {
    const own = rows.filter((row) => row.file === file);
    if (own.length === 0) {
      return [];
    }
    const images = [...new Set(own.map(({ unit }) => unit))].flatMap((unit, index) => {
      const some = own.filter((row) => row.unit === unit);
      if (some.length < 2) {
        return [];
      }
      const path = `benchmarks/${name}${index === 0 ? "" : `-${index + 1}`}.svg`;
      plots[path] = plot(`${title}, ${unit}`, some);
      return [`![${title}, in ${unit}](${path})`];
    });
    return [
      `## ${title}`,
      "",
      `\`${file}\``,
      "",
      ...(note === undefined ? [] : [note, ""]),
      tableOf(own),
      "",
      ...images.flatMap((i) => [i, ""]),
    ];
  });
  const { cores, processor, memoryGb, platform, node, load } = machine;
  const busy =
    load > cores / 2
      ? ` Its load was ${load} when the run began: it was shared, and other work took its time from every number here.`
      : "";
  const page = [
    "# Benchmarks",
    "",
    "`npm run bench` runs all of them, each in its own process beside its baseline, and writes a report into",
    "`bench`, under `results`. `npm run bench -- NAME` runs those with that in their path,",
    "`npm run bench -- --compare A.json B.json` prints what got worse by more than the noise (told by the samples,",
    "10 % at least), and `npm run bench -- --page A.json` makes this page and its plots from a report, which is kept as",
    "`bench/reference.json`.",
    "",
    `Measured on ${at.slice(0, 10)}: ${cores} cores (${processor}), ${memoryGb} GB of memory, ${platform}, Node ${node.slice(1)}.${busy}`,
    "",
    ...parts,
    competitors,
  ];
  return { page: page.join("\n"), plots };
}

/** @param {Row[]} rows */
function tableOf(rows) {
  const cells = rows.map((row) => {
    const { name, value, unit, baseline, target, spread } = row;
    const number = (/** @type {number | undefined} */ one) =>
      one === undefined ? "" : shortNumber(one);
    const verdict = target === undefined ? "" : missesTarget(row) ? "**missed**" : "met";
    const spreads = [spread?.p50, spread?.p95, spread?.p99, spread?.max].map(number);
    return [
      name,
      `${number(value)} ${unit}`,
      ...spreads,
      number(baseline),
      number(target),
      verdict,
    ];
  });
  const head = ["", "value", "p50", "p95", "p99", "max", "baseline", "target", ""];
  return [head, head.map((_, column) => (column === 0 ? "---" : "---:")), ...cells]
    .map((line) => `| ${line.join(" | ")} |`)
    .join("\n");
}

/**
 * @param {string} root
 * @param {string | undefined} path of a report
 */
export async function writePage(root, path) {
  const text = path === undefined ? undefined : await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) {
    throw new Problem(`There is no report ${path ?? ""}: npm run bench -- --page A.json`);
  }
  const { page, plots } = benchmarksPage(JSON.parse(text));
  await rm(join(root, "docs/benchmarks"), { recursive: true, force: true });
  await mkdir(join(root, "docs/benchmarks"), { recursive: true });
  await writeFile(join(root, "docs/benchmarks.md"), page);
  for (const [name, svg] of Object.entries(plots)) {
    await writeFile(join(root, "docs", name), svg);
  }
  await writeFile(join(root, "bench/reference.json"), text);
  process.stdout.write(`docs/benchmarks.md and ${Object.keys(plots).length} plots are written.\n`);
  return 0;
}
