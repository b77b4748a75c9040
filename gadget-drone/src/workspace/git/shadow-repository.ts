import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { isAside } from "../aside-files.ts";
import { type GitResult, isolated, runGit } from "./git.ts";
import { type RawChange, rawChanges } from "./raw-changes.ts";
import { type MoreForGit, runOwnGit } from "./run-own-git.ts";

const dayMs = 24 * 3_600_000;
const tidyMs = 120_000;
const settings = ["core.autocrlf=false", "core.quotePath=false", "gc.auto=0"];

/**
 * A git repository of our own about the user's workspace, kept elsewhere: the user's repository
 * and its index are never touched. It skips what the workspace's ignore files name.
 */
export class ShadowRepository {
  readonly #workspace: string;
  readonly #folder: string;
  readonly #index: string;

  /** `key` tells turns apart that run in the same workspace at the same time. */
  constructor(dataDir: string, workspace: string, key: string) {
    const name = createHash("sha256").update(workspace).digest("hex").slice(0, 32);
    this.#workspace = workspace;
    this.#folder = join(dataDir, "snapshots", name);
    this.#index = join(this.#folder, `index.${key}`);
  }

  /** Records the workspace as it is now; gives the tree's name, or why there is none. */
  async snapshot(signal: AbortSignal): Promise<{ tree: string } | { problem: string }> {
    const made = await this.#make(signal);
    if (made !== undefined) {
      return { problem: made };
    }
    const first = await this.#record(signal);
    if ("tree" in first || signal.aborted) {
      return first;
    }
    // An index that a crash left behind half written is only a memory of file times.
    await rm(this.#index, { force: true });
    await rm(`${this.#index}.lock`, { force: true });
    return this.#record(signal);
  }

  async #record(signal: AbortSignal): Promise<{ tree: string } | { problem: string }> {
    const problem = await this.#forgetRepositories(signal);
    if (problem !== undefined) {
      return { problem };
    }
    const added = await this.#git(["add", "--all", "--ignore-errors", "."], signal);
    // Unreadable files are left out; everything else is there.
    if (added.stopped) {
      return { problem: "stopped" };
    }
    const written = await this.#git(["write-tree"], signal);
    if (!written.ok) {
      return { problem: written.stderr || "git could not write the snapshot" };
    }
    return { tree: written.stdout.trim() };
  }

  /**
   * For a repository inside of the workspace that its index names, git would start itself in there,
   * with that repository's settings, which can name any program. So the index names none.
   */
  async #forgetRepositories(signal: AbortSignal): Promise<string | undefined> {
    const listed = await this.#git(["ls-files", "--stage", "-z"], signal);
    if (!listed.ok) {
      return listed.stderr || "git could not read the last snapshot";
    }
    const inner = listed.stdout.split("\0").filter((entry) => entry.startsWith("160000 "));
    if (inner.length === 0) {
      return undefined;
    }
    const stdin = inner.map((entry) => `${entry.slice(entry.indexOf("\t") + 1)}\0`).join("");
    const args = ["update-index", "--force-remove", "-z", "--stdin"];
    const removed = await this.#git(args, signal, { stdin });
    return removed.ok ? undefined : removed.stderr || "git could not forget inner repositories";
  }

  async changes(
    before: string,
    after: string,
    signal: AbortSignal,
  ): Promise<RawChange[] | undefined> {
    const args = ["diff-tree", "-r", "-z", "--no-renames", "--raw", before, after];
    const listed = await this.#git(args, signal);
    if (!listed.ok) {
      return undefined;
    }
    return rawChanges(listed.stdout).filter(({ path }) => !isAside(basename(path)));
  }

  /** Writes files of a tree into another folder, byte for byte. */
  async extract(
    tree: string,
    paths: readonly string[],
    into: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const index = join(
      this.#folder,
      `index.extract.${createHash("sha256").update(into).digest("hex").slice(0, 16)}`,
    );
    try {
      const args = ["restore", `--source=${tree}`, "--worktree", "--pathspec-from-file=-"];
      const done = await this.#git([...args, "--pathspec-file-nul"], signal, {
        stdin: paths.join("\0"),
        env: { GIT_WORK_TREE: into, GIT_INDEX_FILE: index },
      });
      return done.ok;
    } finally {
      await rm(index, { force: true });
    }
  }

  /** Keeps what this turn learned about file times for the next one. */
  async close(): Promise<void> {
    await rename(this.#index, join(this.#folder, "index")).catch(() => {});
    await rm(`${this.#index}.lock`, { force: true });
    await this.#tidy().catch(() => {});
  }

  /** Once a day, and nobody waits for it: old snapshots are let go, those of running turns stay. */
  async #tidy(): Promise<void> {
    const stamp = join(this.#folder, "tidied");
    const last = (await stat(stamp).catch(() => undefined))?.mtimeMs ?? 0;
    if (Date.now() - last < dayMs) {
      return;
    }
    await writeFile(stamp, "");
    if (last === 0) {
      return;
    }
    // What the kept index names must stay, or the next snapshot would miss it.
    const env = { GIT_INDEX_FILE: join(this.#folder, "index") };
    void this.#git(["gc", "--quiet", "--prune=1.day.ago"], AbortSignal.timeout(tidyMs), { env });
  }

  async #make(signal: AbortSignal): Promise<string | undefined> {
    if (!(await exists(join(this.#folder, "HEAD")))) {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const args = ["init", "--quiet", "--bare", "--template=", this.#folder];
      const made = await runGit({ args, cwd: this.#folder, env: isolated, signal });
      if (!made.ok) {
        return made.stderr || "git could not make a repository";
      }
      // Above every .gitattributes of the workspace: bytes are kept as they are.
      await mkdir(join(this.#folder, "info"), { recursive: true });
      await writeFile(
        join(this.#folder, "info", "attributes"),
        "* -text -filter -ident -working-tree-encoding -diff\n",
      );
    }
    const { COPYFILE_EXCL } = constants;
    await copyFile(join(this.#folder, "index"), this.#index, COPYFILE_EXCL).catch(() => {});
    return undefined;
  }

  #git(args: readonly string[], signal: AbortSignal, more?: MoreForGit): Promise<GitResult> {
    const own = { folder: this.#folder, workspace: this.#workspace, index: this.#index, settings };
    return runOwnGit(own, args, signal, more);
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
