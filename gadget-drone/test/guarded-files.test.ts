import { execFileSync } from "node:child_process";
import { link, mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { WorkOrder } from "@gadget/api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestDrone } from "./support/test-drone.ts";

type Call = [tool: string, input: object];
const write = (path: string, content = "planted\n"): Call => ["write_file", { path, content }];

let test: TestDrone;

beforeAll(async () => {
  test = await TestDrone.start();
});
afterAll(() => test.stop());

async function run(fields: Partial<WorkOrder>, ...calls: Call[]) {
  test.model.answerWithTools(...calls);
  const order = test.order({ approval: "edits", ...fields });
  await test.server.submit(order);
  await test.server.completed(order.turnId);
  const ends = test.server.eventsOf(order.turnId, "tool:end");
  return { order, ends, texts: ends.map(({ text }) => text) };
}

/** A repository of the user's, and every file of its `.git`. */
async function repository(name: string, ...more: string[]) {
  const directory = join(test.folder, name);
  await mkdir(directory);
  execFileSync("git", ["init", "-q", ...more, directory]);
  const source = { kind: "directory" as const, directory };
  const settings = join(directory, more.length > 0 ? "meta" : ".git", "config");
  const contents = () => readFile(settings, "utf8");
  return { directory, workspace: { source, environment: [] }, contents };
}

describe("file tools write into no git folder", () => {
  it("by its name, a link to it, a link to a file of it, or another spelling", async () => {
    const { directory, workspace, contents } = await repository("linked");
    await symlink(".git", join(directory, "g"));
    await symlink("../linked/.git/hooks", join(directory, "hooks"));
    await symlink(".git/config", join(directory, "settings"));
    await symlink(".gadget", join(directory, "rules"));
    await mkdir(join(directory, ".gadget"));
    const before = await contents();
    const names = ["g/config", "g/hooks/pre-commit", "hooks/pre-commit", "settings"];
    const spelled = [
      ".GIT/config",
      ".Git/hooks/x",
      "sub/.git/config",
      "./a/../.git/config",
      ".git",
    ];
    const { ends, texts } = await run(
      { workspace },
      ...[...names, ...spelled, "rules/a", "g/new/deep"].map((path) => write(path)),
      ["edit_file", { path: "g/config", oldText: "[core]", newText: "[evil]" }],
      ["edit_file", { path: "settings", oldText: "[core]", newText: "[evil]" }],
    );
    expect(new Set(ends.map(({ outcome }) => outcome))).toEqual(new Set(["failed"]));
    for (const text of texts) {
      expect(text).toMatch(/can't be written by this tool/);
    }
    expect(await contents()).toBe(before);
    expect(await readdir(join(directory, ".git", "hooks"))).not.toContain("pre-commit");
    expect((await readdir(directory)).toSorted()).toEqual(
      [".gadget", ".git", "g", "hooks", "rules", "settings"].toSorted(),
    );
  });

  it("whatever the folder is called: elsewhere, renamed, or made file by file", async () => {
    const apart = await repository(
      "apart",
      `--separate-git-dir=${join(test.folder, "apart", "meta")}`,
    );
    const renamed = await repository("renamed");
    await rename(join(renamed.directory, ".git"), join(renamed.directory, "old"));
    const first = await run({ workspace: apart.workspace }, write("meta/config"));
    expect(first.texts[0]).toMatch(/a git repository \(meta\)/);
    const second = await run({ workspace: renamed.workspace }, write("old/hooks/post-checkout"));
    expect(second.texts[0]).toMatch(/a git repository \(old\)/);
    const files = ["evil/HEAD", "evil/config", "evil/objects/x", "evil/refs/x"];
    const { ends } = await run(
      { workspace: renamed.workspace },
      ...files.map((path) => write(path)),
    );
    const outcomes = ["finished", "finished", "finished", "failed"];
    expect(ends.map(({ outcome }) => outcome)).toEqual(outcomes);
  });

  it("and a hard link to one of its files becomes a file of its own", async () => {
    const { directory, workspace, contents } = await repository("hard");
    await link(join(directory, ".git", "config"), join(directory, "same"));
    const before = await contents();
    const { ends } = await run({ workspace }, write("same"));
    expect(ends[0]?.outcome).toBe("finished");
    expect(await contents()).toBe(before);
    expect(await readFile(join(directory, "same"), "utf8")).toBe("planted\n");
  });

  it("and undo does not either, when a folder became a link to it", async () => {
    const { server } = test;
    const { directory, workspace, contents } = await repository("undone");
    const { order } = await run({ workspace }, write("a/config"), write("a/new"));
    await rename(join(directory, "a"), join(directory, "b"));
    await symlink(".git", join(directory, "a"));
    await writeFile(join(directory, ".git", "config"), "planted\n");
    const request = { turnId: order.turnId, source: workspace.source, preview: false };
    const result = await server.ask("undoTurn", [request]);
    expect(result.skipped).toContainEqual({
      path: "a/config",
      reason: "A folder above it is a link now.",
    });
    expect(await contents()).toBe("planted\n");
  });

  it("and a change through a link to another folder is told by its real name", async () => {
    const { directory, workspace } = await repository("named");
    await mkdir(join(directory, "real"));
    await symlink("real", join(directory, "link"));
    const { order, ends } = await run({ workspace }, write("link/a"));
    expect(ends[0]?.outcome).toBe("finished");
    const changed = test.server.eventsOf(order.turnId, "file:changed").map(({ file }) => file.path);
    expect(changed).toEqual(["real/a"]);
  });
});
