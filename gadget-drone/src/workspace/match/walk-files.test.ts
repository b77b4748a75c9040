import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { walkFiles } from "./walk-files.ts";

let folder: string;
let workspace: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "gadget-walk-")));
  workspace = join(folder, "inside");
  await mkdir(workspace);
});
afterEach(() => rm(folder, { recursive: true }));

async function write(files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), text);
  }
}

async function walked(below = "") {
  const files: string[] = [];
  const problems: string[] = [];
  const { signal } = new AbortController();
  for await (const file of walkFiles(workspace, below, signal, (text) => problems.push(text))) {
    files.push(file);
  }
  return { files, problems };
}

describe("walkFiles", () => {
  it("gives what git would not ignore, folder by folder, in order", async () => {
    await write({
      ".gitignore": "*.log\n/b/out/\n",
      "b/.gitignore": "!keep.log\n",
      "b/keep.log": "",
      "b/other.log": "",
      "b/out/x": "",
      "a/deep/c": "",
      "a.ts": "",
    });
    const files = [".gitignore", "a/deep/c", "a.ts", "b/.gitignore", "b/keep.log"];
    expect(await walked()).toEqual({ files, problems: [] });
    // The rules of the folders above hold, too.
    expect((await walked("b")).files).toEqual(["b/.gitignore", "b/keep.log"]);
  });

  it("A54 an ignore file that is none is not read, and it is said", async () => {
    await write({
      "d/x": "",
      "f/x": "",
      "l/x": "",
      "z/x": "",
      "z/.gitignore": "x\n".repeat(200_000),
    });
    await symlink("/dev/zero", join(workspace, "d/.gitignore"));
    execFileSync("mkfifo", [join(workspace, "f/.gitignore")]);
    await writeFile(join(folder, "outside"), "x");
    await symlink(join(folder, "outside"), join(workspace, "l/.gitignore"));
    const { files, problems } = await walked();
    expect(files.filter((file) => file.endsWith("x"))).toEqual(["d/x", "f/x", "l/x", "z/x"]);
    expect(problems).toHaveLength(4);
    expect(problems.join("\\n")).toMatch(
      /d\/\.gitignore were not all used.*outside[^]*f\/\.gitignore.*no ordinary file[^]*l\/\.gitignore.*outside[^]*z\/\.gitignore.*400000 bytes/,
    );
  });

  it("shows nothing of a folder that becomes a link in the middle of the walk", async () => {
    await write({ "a/x": "", "b/inside": "" });
    await mkdir(join(folder, "outside"));
    await writeFile(join(folder, "outside", "canary"), "");
    const { signal } = new AbortController();
    const files: string[] = [];
    for await (const file of walkFiles(workspace, "", signal, () => {})) {
      files.push(file);
      await rename(join(workspace, "b"), join(folder, "moved"));
      await symlink(join(folder, "outside"), join(workspace, "b"));
    }
    expect(files).toEqual(["a/x"]);
  });
});
