import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixtureTree } from "../fixture-tree.ts";
import { ensureBuilt } from "./ensure-built.mjs";
import { type PartName, partOf } from "./parts.mjs";

const manifest = (dependency?: string) =>
  JSON.stringify({ version: "1.0.0", devDependencies: dependency ? { [dependency]: "*" } : {} });

function tree() {
  return fixtureTree({
    "package-lock.json": "{}",
    "gadget-drone/package.json": manifest("@gadget/agent"),
    "gadget-drone/src/main.ts": "1",
    "gadget-drone/src/process/supervisor.pl": "1",
    "gadget-drone/dist/.keep": "",
    "packages/agent/package.json": manifest("@gadget/ai"),
    "packages/agent/src/index.ts": "1",
    "packages/ai/package.json": manifest(),
    "packages/ai/src/index.ts": "1",
    "packages/ai/src/index.test.ts": "1",
    "packages/cli/package.json": manifest(),
    "packages/cli/src/main.ts": "1",
    "packages/cli/dist/.keep": "",
  });
}

/** Stands in for turbo: writes the outputs of the parts that it is asked to build. */
async function writeOutputs(root: string, names: readonly PartName[]) {
  for (const name of names) {
    for (const { file } of partOf(name).bundles) {
      writeFileSync(join(root, file), name);
    }
  }
}

const names = ["drone", "cli"] as const;
const build = (root: string) => ensureBuilt(root, names, { runBuilds: writeOutputs });

describe("ensureBuilt", () => {
  it("builds what was never built, then nothing", async () => {
    const root = tree();
    expect(await build(root)).toEqual(["drone", "cli"]);
    expect(await build(root)).toEqual([]);
  });

  it.each([
    ["its own source", "gadget-drone/src/main.ts"],
    ["a file beside its source", "gadget-drone/src/process/supervisor.pl"],
    ["a new file", "gadget-drone/src/new.ts"],
    ["a package that it imports", "packages/agent/src/index.ts"],
    ["a package behind that", "packages/ai/src/index.ts"],
    ["a package's manifest", "packages/ai/package.json"],
  ])("builds again after a change of %s", async (_what, path) => {
    const root = tree();
    await build(root);
    writeFileSync(join(root, path), path.endsWith("json") ? '{"version":"2"}' : "2");
    expect(await build(root)).toEqual(["drone"]);
  });

  it("builds everything again when the lockfile changes", async () => {
    const root = tree();
    await build(root);
    writeFileSync(join(root, "package-lock.json"), "{ }");
    expect(await build(root)).toEqual(["drone", "cli"]);
  });

  it("does not build again for a test", async () => {
    const root = tree();
    await build(root);
    writeFileSync(join(root, "packages/ai/src/index.test.ts"), "2");
    expect(await build(root)).toEqual([]);
  });

  it("builds again when an output is gone", async () => {
    const root = tree();
    await build(root);
    rmSync(join(root, "packages/cli/dist/gadget.mjs"));
    expect(await build(root)).toEqual(["cli"]);
  });

  it("builds again after a build that failed", async () => {
    const root = tree();
    await build(root);
    writeFileSync(join(root, "packages/cli/src/main.ts"), "2");
    const failing = { runBuilds: () => Promise.reject(new Error("broken")) };
    await expect(ensureBuilt(root, names, failing)).rejects.toThrow("broken");
    writeFileSync(join(root, "packages/cli/src/main.ts"), "1");
    expect(await build(root)).toEqual(["cli"]);
  });

  it("notices an edit during the build", async () => {
    const root = tree();
    const editing = {
      runBuilds: async (_root: string, stale: readonly PartName[]) => {
        await writeOutputs(root, stale);
        writeFileSync(join(root, "packages/cli/src/main.ts"), "2");
      },
    };
    await ensureBuilt(root, ["cli"], editing);
    expect(await ensureBuilt(root, ["cli"], { runBuilds: writeOutputs })).toEqual(["cli"]);
  });
});
