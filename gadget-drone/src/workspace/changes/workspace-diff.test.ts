import { execFileSync, spawnSync } from "node:child_process";
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type WorkspaceDiffOptions, workspaceDiff } from "./workspace-diff.ts";

// Each comparison starts several programs.
vi.setConfig({ testTimeout: 60_000 });

let folder: string;
let workspace: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "gadget-diff-")));
  workspace = join(folder, 'work: "space"');
  await mkdir(workspace);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...args], {
    cwd: workspace,
    encoding: "utf8",
    stdio: "pipe",
  });

async function write(files: Record<string, string | Buffer>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), content);
  }
}

async function commit(files: Record<string, string | Buffer>): Promise<void> {
  git("init", "-q", "-b", "main");
  await write(files);
  git("add", "--all");
  git("commit", "-qm", "First");
}

const diff = (more: Partial<WorkspaceDiffOptions> = {}) =>
  workspaceDiff({
    workspace,
    dataDir: join(folder, "data"),
    hasGit: true,
    signal: AbortSignal.timeout(60_000),
    ...more,
  });

async function summary() {
  const { files } = await diff();
  return files.map(({ file }) => `${file.change} ${file.path} +${file.added} -${file.removed}`);
}

it("shows what was edited, staged, deleted and added since the commit, and nothing ignored", async () => {
  await commit({
    ".gitignore": "*.log\n",
    "edited.txt": "one\ntwo\n",
    "staged.txt": "old\n",
    "gone.txt": "bye\n",
    "same.txt": "same\n",
    "tracked.log": "",
  });
  git("add", "--force", "tracked.log");
  git("commit", "-qm", "Second", "--allow-empty");
  await write({
    "edited.txt": "one\n2\n",
    "staged.txt": "new\n",
    "new/deep.txt": "fresh\n",
    "noise.log": "x\n",
    "excluded.tmp": "x\n",
    "new/.gadget-write-0123456789ab": "half\n",
  });
  git("add", "staged.txt");
  await writeFile(join(workspace, ".git/info/exclude"), "*.tmp\n");
  await rm(join(workspace, "gone.txt"));
  await utimes(join(workspace, "same.txt"), 1, 1);
  const { files, omitted, note } = await diff();
  expect({ omitted, note }).toEqual({ omitted: 0, note: undefined });
  expect(files.map(({ file }) => file)).toEqual([
    { path: "edited.txt", change: "modified", added: 1, removed: 1 },
    { path: "gone.txt", change: "deleted", added: 0, removed: 1 },
    { path: "new/deep.txt", change: "created", added: 1, removed: 0 },
    { path: "staged.txt", change: "modified", added: 1, removed: 1 },
  ]);
  expect(files[0]?.diff).toContain("@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
});

it("compares with the commit, not with what is staged", async () => {
  await commit({ "back.txt": "old\n", "kept.txt": "kept\n" });
  await write({ "back.txt": "staged\n" });
  git("add", "back.txt");
  await write({ "back.txt": "old\n" });
  git("rm", "-q", "--cached", "kept.txt");
  expect(await summary()).toEqual([]);
});

it("shows a file that is ignored now but was committed", async () => {
  await commit({ "data.log": "1\n" });
  await write({ ".gitignore": "*.log\n", "data.log": "2\n", "other.log": "x\n" });
  expect(await summary()).toEqual(["created .gitignore +1 -0", "modified data.log +1 -1"]);
});

it("shows modes, links, binary and large files for what they are", async () => {
  await commit({ "run.sh": "#!/bin/sh\n", picture: Buffer.from([1, 0, 2]), dir: "" });
  await symlink("run.sh", join(workspace, "link"));
  git("add", "link");
  git("commit", "-qm", "Link");
  await chmod(join(workspace, "run.sh"), 0o755);
  await rm(join(workspace, "link"));
  await symlink("/etc/passwd", join(workspace, "link"));
  await rm(join(workspace, "dir"));
  await write({ picture: Buffer.from([1, 0, 3]), large: "x".repeat(2_000_000), "dir/a": "a\n" });
  const { files } = await diff();
  expect(files.map(({ file, diff: text }) => [file.path, file.change, text])).toEqual([
    ["dir", "deleted", "--- a/dir\n+++ /dev/null\n"],
    ["dir/a", "created", "--- /dev/null\n+++ b/dir/a\n@@ -0,0 +1 @@\n+a\n"],
    ["large", "created", "Binary or large file large was created.\n"],
    [
      "link",
      "modified",
      "--- a/link\n+++ b/link\n@@ -1 +1 @@\n-run.sh\n\\ No newline at end of file\n+/etc/passwd\n\\ No newline at end of file\n",
    ],
    ["picture", "modified", "Binary or large file picture was modified.\n"],
    ["run.sh", "modified", "old mode 100644\nnew mode 100755\n"],
  ]);
});

it("reads nothing outside through a folder that has become a link", async () => {
  await commit({ "dir/secret": "harmless\n" });
  await mkdir(join(folder, "outside"));
  await writeFile(join(folder, "outside", "secret"), "canary-secret\n");
  await rm(join(workspace, "dir"), { recursive: true });
  await symlink(join(folder, "outside"), join(workspace, "dir"));
  expect(JSON.stringify(await diff())).not.toContain("canary-secret");
  expect(await summary()).toEqual(["created dir +1 -0", "deleted dir/secret +0 -1"]);
});

it("heeds how the repository compares bytes: line ends and modes", async () => {
  await commit({ ".gitattributes": "*.bat text eol=crlf\n", "a.bat": "one\r\ntwo\r\n", b: "b\n" });
  git("config", "core.fileMode", "false");
  await chmod(join(workspace, "b"), 0o755);
  await write({ "a.bat": "one\r\n2\r\n" });
  expect(await summary()).toEqual(["modified a.bat +1 -1"]);
});

it("works before the first commit, in a linked worktree and with sha256", async () => {
  git("init", "-q", "-b", "main");
  await write({ a: "a\n" });
  expect(await summary()).toEqual(["created a +1 -0"]);
  await commit({ a: "a\n" });
  const main = workspace;
  workspace = join(folder, "tree");
  execFileSync("git", ["worktree", "add", "-q", "-b", "beside", workspace], { cwd: main });
  await write({ a: "b\n" });
  expect(await summary()).toEqual(["modified a +1 -1"]);
  workspace = join(folder, "long");
  await mkdir(workspace);
  git("init", "-q", "--object-format=sha256");
  await commit({ a: "a\n" });
  await write({ a: "b\n" });
  expect(await summary()).toEqual(["modified a +1 -1"]);
});

it("shows conflicts, and an index in pieces does not matter", async () => {
  await commit({ a: "base\n", b: "b\n" });
  git("checkout", "-q", "-b", "other");
  await write({ a: "theirs\n" });
  git("commit", "-qam", "Theirs");
  git("checkout", "-q", "main");
  await write({ a: "ours\n" });
  git("commit", "-qam", "Ours");
  expect(() => git("merge", "other")).toThrow(/CONFLICT|Command failed/);
  expect(await summary()).toEqual(["modified a +4 -0"]);
  git("merge", "--abort");
  git("update-index", "--split-index");
  await write({ b: "c\n" });
  expect(await summary()).toEqual(["modified b +1 -1"]);
});

it("says in a sentence that there is nothing to compare with", async () => {
  expect(await diff()).toMatchObject({ files: [], note: expect.stringMatching(/not a git/) });
  const without = await diff({ hasGit: false });
  expect(without).toMatchObject({ files: [], note: expect.stringMatching(/has no git/) });
});

it("holds its limits: so many files, so many bytes", async () => {
  await commit({ keep: "" });
  const names = Array.from({ length: 12 }, (_, index) => `file-${String(index).padStart(2, "0")}`);
  await write(Object.fromEntries(names.map((name) => [name, "x\n".repeat(100)])));
  const { files, omitted } = await diff({ limits: { files: 10, bytes: 1_500 } });
  expect([files.length, omitted]).toEqual([10, 2]);
  expect(files[0]?.diff).toContain("@@ -0,0 +1,100 @@");
  expect(files.at(-1)?.diff).toBe("The diff is too long to be shown here.\n");
  expect(files.at(-1)?.file.added).toBe(100);
});

/** Every way in which a repository can name a program. */
async function plantTraps(owned: string): Promise<void> {
  const trap = `touch ${owned} #`;
  for (const key of [
    ...["clean", "smudge", "process"].map((name) => `filter.evil.${name}`),
    "core.fsmonitor",
    "core.sshCommand",
    "core.pager",
    "core.editor",
    "diff.external",
    "diff.evil.textconv",
    "diff.evil.command",
    "remote.origin.uploadpack",
    "alias.diff-index",
    "alias.restore",
  ]) {
    git("config", key, key.startsWith("alias.") ? `!${trap}` : trap);
  }
  git("config", "remote.origin.url", workspace);
  git("config", "remote.origin.promisor", "true");
  git("config", "core.hooksPath", join(workspace, ".git/hooks"));
  await writeFile(join(workspace, ".git/info/attributes"), "* filter=evil diff=evil\n");
  await mkdir(join(workspace, ".git/hooks"), { recursive: true });
  for (const name of ["post-index-change", "post-checkout", "reference-transaction"]) {
    await writeFile(join(workspace, ".git/hooks", name), `#!/bin/sh\n${trap}\n`, { mode: 0o755 });
  }
}

async function contents(directory: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) {
      found[path] = (await readFile(path)).toString("base64");
    }
  }
  return found;
}

it("runs nothing that a hostile repository names, and leaves it as it is", async () => {
  const owned = join(folder, "owned");
  const outer = workspace;
  workspace = join(outer, "inner");
  await mkdir(workspace);
  await commit({ file: "first\n" });
  workspace = outer;
  await commit({
    ".gitattributes": "* filter=evil diff=evil\n",
    ".gitmodules": `[submodule "inner"]\n\tpath = inner\n\turl = ./x\n\tupdate = !touch ${owned}\n`,
    a: "first\n",
    missing: "missing\n",
  });
  expect(git("ls-tree", "HEAD")).toContain("160000 commit");
  workspace = join(outer, "inner");
  await write({ file: "second\n" });
  await plantTraps(owned);
  workspace = outer;
  await write({ a: "second\n", missing: "other\n", fresh: "new\n" });
  const object = git("rev-parse", "HEAD:missing").trim();
  await rename(
    join(workspace, ".git/objects", object.slice(0, 2), object.slice(2)),
    join(folder, "object"),
  );
  await plantTraps(owned);
  const before = await contents(join(workspace, ".git"));

  expect(await summary()).toEqual([
    "modified a +1 -1",
    "created fresh +1 -0",
    "modified missing +0 -0",
  ]);
  expect(await readdir(folder)).not.toContain("owned");
  expect(await contents(join(workspace, ".git"))).toEqual(before);
  // The traps are real: git itself walks into them.
  spawnSync("git", ["status"], { cwd: workspace });
  expect(await readdir(folder)).toContain("owned");
});

it("ends in the middle with its signal, and leaves neither process nor file behind", async () => {
  await commit({ a: "a\n" });
  await write({ a: "b\n" });
  // Git waits here for somebody who writes.
  await rm(join(workspace, ".gitignore"), { force: true });
  execFileSync("mkfifo", [join(workspace, ".gitignore")]);
  const controller = new AbortController();
  const reason = new Error("enough");
  const asked = diff({ signal: controller.signal });
  const failed = asked.catch((error: unknown) => error);
  const running = () =>
    execFileSync("ps", ["-ww", "-eo", "args="], { encoding: "utf8" })
      .split("\n")
      .some((line) => line.includes("ls-files --others") && line.includes(folder));
  await expect.poll(running, { timeout: 15_000 }).toBe(true);
  controller.abort(reason);
  expect(await failed).toBe(reason);
  expect(running()).toBe(false);
  expect(await readdir(join(folder, "data", "tmp"))).toEqual([]);
});

it("leaves out files that are being written aside", async () => {
  await commit({ a: "1\n" });
  const name = ".gadget-write-0123456789ab";
  await write({ b: "2\n", [name]: "half", [`deep/${name}`]: "half" });
  const { files, omitted } = await diff();
  expect(files.map(({ file }) => file.path)).toEqual(["b"]);
  expect(omitted).toBe(0);
});
