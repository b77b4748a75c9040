import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { largestRules } from "../../workspace/match/ignore-rules.ts";
import { hasEndlessRules, rulesForRipgrep } from "./rules-for-ripgrep.ts";

let above: string;
let workspace: string;

beforeEach(async () => {
  above = await realpath(await mkdtemp(join(tmpdir(), "gadget-rules-")));
  workspace = join(above, "workspace");
  await mkdir(join(workspace, "src", "deep"), { recursive: true });
});
afterEach(() => rm(above, { recursive: true, force: true }));

const context = () => ({
  workspace,
  signal: new AbortController().signal,
  environment: { PATH: process.env["PATH"] ?? "" },
  commandStarted: () => {},
});
const endless = (path: string) => hasEndlessRules(path, context());

/** A path of the workspace; its folders are made. */
async function at(path: string): Promise<string> {
  await mkdir(dirname(join(workspace, path)), { recursive: true });
  return join(workspace, path);
}

describe("hasEndlessRules", () => {
  it("is content with ordinary rules, and with none", async () => {
    expect(await endless("")).toBe(false);
    await writeFile(await at("src/.gitignore"), "*.log\n");
    expect(await endless("")).toBe(false);
    expect(await endless("src/.gitignore")).toBe(false);
  });

  it("finds a pipe, a link, a folder and a file that is too large, however deep", async () => {
    const path = await at("src/deep/.gitignore");
    const makers = [
      () => execFileSync("mkfifo", [path]),
      () => symlink("/dev/zero", path),
      () => symlink("../ordinary", path),
      () => mkdir(path),
      () => writeFile(path, "#".repeat(largestRules + 1)),
    ];
    for (const make of makers) {
      await make();
      expect(await endless("")).toBe(true);
      expect(await endless("src/deep")).toBe(true);
      await rm(path, { recursive: true });
    }
    await writeFile(path, "#".repeat(largestRules));
    expect(await endless("")).toBe(false);
  });

  it("finds rules that only ripgrep would obey", async () => {
    await writeFile(await at("src/.rgignore"), "*.ts\n");
    expect(await endless("")).toBe(true);
  });

  it("skips what no search looks into, unless it is asked for", async () => {
    await symlink("/dev/zero", await at("node_modules/m/.gitignore"));
    expect(await endless("")).toBe(false);
    expect(await endless("node_modules")).toBe(true);
    expect(await endless("node_modules/m")).toBe(true);
  });

  it("takes a folder that it can't look at for endless", async () => {
    const broken = { ...context(), environment: { PATH: "/nowhere" } };
    expect(await hasEndlessRules("", broken)).toBe(true);
  });
});

describe("rulesForRipgrep", () => {
  it("hands over the workspace's own rules, where the path lies below them", async () => {
    await writeFile(await at(".gitignore"), "*.log\n");
    expect(await rulesForRipgrep("", context())).toEqual([]);
    expect(await rulesForRipgrep("src", context())).toEqual(["--ignore-file=.gitignore"]);
  });

  it("leaves to our own walk what needs the rules in between", async () => {
    await writeFile(await at("src/.gitignore"), "*.log\n");
    expect(await rulesForRipgrep("src", context())).toEqual([]);
    expect(await rulesForRipgrep("src/deep", context())).toBeUndefined();
  });

  it("refuses rules without an end above the path, also those above the workspace", async () => {
    for (const name of [".gitignore", ".rgignore"]) {
      for (const folder of [above, workspace, join(workspace, "src")]) {
        const rules = join(folder, name);
        await symlink("/dev/zero", rules);
        expect(await rulesForRipgrep("src/deep", context())).toBeUndefined();
        await rm(rules);
      }
    }
    await writeFile(join(above, "ordinary"), "*.log\n");
    await symlink("ordinary", join(above, ".gitignore"));
    expect(await rulesForRipgrep("src/deep", context())).toEqual([]);
  });
});
