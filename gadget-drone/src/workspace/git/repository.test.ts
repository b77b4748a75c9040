import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findRepository } from "./repository.ts";

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "gadget-repository-")));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const { signal } = new AbortController();
const find = (workspace = folder) => findRepository(workspace, signal);
const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: "pipe",
  }).trim();

async function commit(): Promise<string> {
  git("init", "-q", "-b", "feature/blue-sky");
  await writeFile(join(folder, "a"), "a\n");
  git("add", ".");
  git("commit", "-qm", "First");
  return git("rev-parse", "HEAD");
}

it("knows the branch and its commit, loose and packed", async () => {
  const first = await commit();
  const found = { branch: "feature/blue-sky", commit: first };
  expect(await find()).toMatchObject(found);
  git("pack-refs", "--all");
  expect(await find()).toMatchObject(found);
});

it("knows a branch that has no commit yet", async () => {
  git("init", "-q", "-b", "main");
  expect(await find()).toMatchObject({ branch: "main", commit: null });
});

it("knows the commit where no branch is checked out", async () => {
  const first = await commit();
  git("checkout", "-q", "--detach");
  expect(await find()).toMatchObject({ branch: null, commit: first });
});

it("follows the file that a linked worktree has instead of a folder", async () => {
  const first = await commit();
  const tree = join(folder, "tree");
  git("worktree", "add", "-q", "-b", "beside", tree);
  const found = await find(tree);
  expect(found).toMatchObject({ branch: "beside", commit: first });
  expect(found?.commonDir).toBe(join(folder, ".git"));
  expect(found?.gitDir).toBe(join(folder, ".git/worktrees/tree"));
});

it("finds none in a plain folder, nor in one inside of a repository", async () => {
  expect(await find()).toBeUndefined();
  await commit();
  await mkdir(join(folder, "inner"));
  expect(await find(join(folder, "inner"))).toBeUndefined();
});

it.each([
  ["root:x:0:0:root:/root:/bin/sh\n"],
  ["ref: refs/heads/../../../../etc/passwd\n"],
  ["ref: refs/heads/a\u0007b\n"],
  ["ref: refs/heads/a b\n"],
  ["ref: refs/heads/a\u202eb\n"],
  ["ref: /etc/passwd\n"],
  [`ref: refs/heads/${"x".repeat(5_000)}\n`],
  ["ref: refs/heads/.invalid\n"],
])("shows nothing of a HEAD that git would not have written: %j", async (head) => {
  await mkdir(join(folder, ".git"));
  await writeFile(join(folder, ".git", "HEAD"), head);
  expect(await find()).toBeUndefined();
});

it("shows nothing of a file that a hostile .git leads to, and waits for no pipe", async () => {
  await mkdir(join(folder, "secret"));
  await writeFile(join(folder, "secret", "HEAD"), "canary-secret\n");
  await writeFile(join(folder, ".git"), `gitdir: ${join(folder, "secret")}\n`);
  expect(await find()).toBeUndefined();
  await rm(join(folder, ".git"));
  await mkdir(join(folder, ".git"));
  await symlink(join(folder, "secret", "HEAD"), join(folder, ".git", "HEAD"));
  expect(await find()).toBeUndefined();
  await rm(join(folder, ".git", "HEAD"));
  execFileSync("mkfifo", [join(folder, ".git", "HEAD")]);
  expect(await find()).toBeUndefined();
});

it("ends with its signal", async () => {
  await commit();
  const reason = new Error("no more");
  await expect(findRepository(folder, AbortSignal.abort(reason))).rejects.toBe(reason);
});
