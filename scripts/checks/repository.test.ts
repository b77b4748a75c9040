import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixtureTree } from "../fixture-tree.ts";
import { check as abortAudit } from "./abort-audit.mjs";
import { check as abortRules } from "./abort-rules.mjs";
import { check as bundleBudget } from "./bundle-budget.mjs";
import { check as docs } from "./docs.mjs";
import { check as fileSize } from "./file-size.mjs";
import { check as wording } from "./wording.mjs";

const lines = (count: number) => "x();\n".repeat(count);

describe("file-size", () => {
  it("passes files at their limits, and tests of any size", async () => {
    const root = fixtureTree({
      "src/a.ts": lines(400),
      "src/B.tsx": lines(250),
      "src/a.test.ts": lines(900),
      "test/long.ts": lines(900),
    });
    expect(await fileSize(root)).toMatchObject({
      problems: [],
      summary: "2 files, median 400 lines, longest 400",
    });
  });

  it.each([
    ["a.ts", 401],
    ["a.mjs", 401],
    ["A.tsx", 251],
  ])("fails on %s with %i lines", async (name, count) => {
    const { problems } = await fileSize(fixtureTree({ [`src/${name}`]: lines(count) }));
    expect(problems).toHaveLength(1);
  });
});

describe("docs", () => {
  const readme = (text: string) => fixtureTree({ "README.md": text, "docs/a.md": "# A b: c!\n" });

  it.each([
    "[a](docs/a.md) [b](docs/a.md#a-b-c) [c](#x) ![p](https://example.com/p.png)\n# x\n",
    "`docs/a.md` `docs/{a,a}.md` `npm start` `docs/` `a/b` `dist/x.mjs` `utils.ts`\n",
    "```\n[gone](gone.md)\n```\n",
    "`[gone](gone.md)`\n",
  ])("passes %j", async (text) => {
    expect((await docs(readme(text))).problems).toEqual([]);
  });

  it.each([
    ["[a](docs/gone.md)", "the link to docs/gone.md leads nowhere"],
    ["[a](docs/a.md#gone)", "the link to docs/a.md#gone has no such heading"],
    ["[a](#gone)", "the link to #gone has no such heading"],
    ["![a](gone.png)", "the link to gone.png leads nowhere"],
    ["[a]: gone.md", "the link to gone.md leads nowhere"],
    ["`docs/gone.md`", "`docs/gone.md` does not exist"],
    ["`docs/{a,gone}.md`", "`docs/gone.md` does not exist"],
    ["`docs/gone/`", "`docs/gone/` does not exist"],
    ["`gone.ts`", "`gone.ts` does not exist"],
    ["`lib/gone.ts`", "`lib/gone.ts` does not exist"],
  ])("fails on %s", async (text, problem) => {
    expect((await docs(readme(text))).problems).toEqual([`README.md: ${problem}`]);
  });
});

describe("abort-audit", () => {
  const row = (file: string) =>
    `| file | reason |\n|---|---|\n| \`${file}\` | the user's cancel |\n`;
  const calls = "controller.abort();\n// controller.abort() in words\n";

  it("passes when every call has its reason", async () => {
    const files = {
      "src/a.ts": calls,
      "src/a.test.ts": calls,
      "docs/abort-controller.md": row("src/a.ts"),
    };
    expect(await abortAudit(fixtureTree(files))).toMatchObject({
      problems: [],
      summary: "1 calls in 1 files",
    });
  });

  it.each([
    ["a call without a reason", { "src/a.ts": calls }],
    [
      "a second call with one reason",
      {
        "src/a.ts": `${calls}other?.abort(reason);\n`,
        "docs/abort-controller.md": row("src/a.ts"),
      },
    ],
    ["a bound call", { "src/a.ts": "stop(controller.abort.bind(controller));\n" }],
    [
      "a reason without a call",
      { "src/a.ts": "x();\n", "docs/abort-controller.md": row("src/a.ts") },
    ],
    [
      "a row without a reason",
      {
        "src/a.ts": calls,
        "docs/abort-controller.md": "| `src/a.ts` |  |\n",
      },
    ],
  ])("fails on %s", async (_what, files) => {
    expect((await abortAudit(fixtureTree(files))).problems).toHaveLength(1);
  });
});

describe("bundle-budget", () => {
  const page = "gadget-code/frontend";
  const noise = (bytes: number) => randomBytes(bytes).toString("latin1");
  const tree = (sizes: { entry: number; session: number; shared: number; other: number }) =>
    fixtureTree({
      [`${page}/index.html`]: "",
      [`${page}/dist/entry.js`]: noise(sizes.entry),
      [`${page}/dist/session.js`]: noise(sizes.session),
      [`${page}/dist/shared.js`]: noise(sizes.shared),
      [`${page}/dist/other.js`]: noise(sizes.other),
      [`${page}/dist/.vite/manifest.json`]: JSON.stringify({
        "index.html": { file: "entry.js", isEntry: true },
        "src/pages/ChatSessionView.tsx": { file: "session.js", imports: ["_shared.js"] },
        "_shared.js": { file: "shared.js" },
        "src/pages/Other.tsx": { file: "other.js" },
      }),
    });

  it("counts what the session page loads, and nothing else", async () => {
    const root = tree({ entry: 10_000, session: 10_000, shared: 10_000, other: 900_000 });
    const { problems, summary } = await bundleBudget(root);
    expect(problems).toEqual([]);
    expect(summary).toContain("in 3 files");
  });

  it.each(["entry", "session", "shared"])("fails when %s is too big", async (which) => {
    const sizes = { entry: 1, session: 1, shared: 1, other: 1, [which]: 301_000 };
    expect((await bundleBudget(tree(sizes))).problems).not.toEqual([]);
  });

  it("fails when there is a page and no manifest", async () => {
    const root = fixtureTree({ [`${page}/index.html`]: "" });
    expect((await bundleBudget(root)).problems).toHaveLength(1);
  });
});

describe("wording", () => {
  it("passes plain words", async () => {
    const files = {
      "a.ts": 'const path = "/home/you/projects";\n',
      "b.md": "The registry of drones.\n",
    };
    expect((await wording(fixtureTree(files))).problems).toEqual([]);
  });

  it.each([
    ["a path of one machine", ["/work", "main/a.ts"].join("/")],
    ["somebody's home folder", ["/home", "jane", "x"].join("/")],
    ["a package registry's host", ["registry", "npmjs", "org"].join(".")],
    [
      "a resolved address in the lockfile",
      ['"resolved"', '"https://example.com/a.tgz"'].join(": "),
    ],
    ["a note of how it was made", ["Co-authored", "by: x"].join("-")],
  ])("fails on %s", async (what, text) => {
    const { problems } = await wording(fixtureTree({ "docs/a.md": `\n${text}\n` }));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`docs/a.md:2: ${what}`);
  });

  it("fails on the folder of the clone itself", async () => {
    const root = fixtureTree({ "a.md": "" });
    writeFileSync(join(root, "a.md"), `see ${root}/a.md\n`);
    expect((await wording(root)).problems).toEqual(["a.md: names the folder of this clone"]);
  });
});

describe("abort-rules", () => {
  const tree = (name: string) =>
    fixtureTree({
      "docs/abort-rules.md": "- **A1** One.\n- **A2** Two.\n- **A24** Later.\n",
      "src/a.test.ts": `it("A1 holds", run);\nit("${name}", run);\n`,
    });

  it("passes where the name of a test cites each rule", async () => {
    const result = { problems: [], summary: "3 rules" };
    expect(await abortRules(tree("A2 holds"))).toMatchObject(result);
  });

  it("fails on a rule without a test, and on a test of no rule", async () => {
    const { problems } = await abortRules(tree("A3 holds"));
    expect(problems).toEqual([
      "docs/abort-rules.md: no test cites A2",
      "src/a.test.ts: cites A3, which docs/abort-rules.md does not have",
    ]);
  });

  it("fails where the rules are gone", async () => {
    const { problems } = await abortRules(fixtureTree({ "src/a.ts": "" }));
    expect(problems).toEqual(["docs/abort-rules.md: holds no rule"]);
  });
});
