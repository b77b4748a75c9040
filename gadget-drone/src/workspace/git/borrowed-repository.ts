import { constants } from "node:fs";
import { lstat, mkdir, open, rm, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { RefusalError } from "@gadget/api";
import { isAside } from "../aside-files.ts";
import type { GitResult } from "./git.ts";
import { rawChanges } from "./raw-changes.ts";
import type { Repository } from "./repository.ts";
import { type MoreForGit, runOwnGit } from "./run-own-git.ts";

/** A file of the last commit that is not the same any more. */
export interface CommittedFile {
  path: string;
  /** Git's mode; null: the commit has no such file. */
  mode: string | null;
  /** Git's mode on disk; null where git can't say. */
  modeNow: string | null;
  object: string;
}

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** Another repository inside of this one. */
const gitlink = "160000";

/** Settings that say how bytes are compared and name no program. */
const harmless =
  /^core\.(?:filemode|symlinks|ignorecase|precomposeunicode|autocrlf|eol)\n(?:true|false|input|lf|crlf|native)$/i;

/**
 * A git folder for one comparison. It borrows the objects and a copy of the index of the user's
 * repository, which is not touched, and none of its settings and hooks: those can name programs.
 * No filter runs either, so a file that needs one to be compared counts as changed once it was
 * written to.
 */
export class BorrowedRepository {
  readonly #workspace: string;
  readonly #repository: Repository;
  readonly #folder: string;
  readonly #signal: AbortSignal;
  #settings: string[] = [];

  /** `folder` is empty, and the caller's to remove. */
  constructor(workspace: string, repository: Repository, folder: string, signal: AbortSignal) {
    this.#workspace = workspace;
    this.#repository = repository;
    this.#folder = folder;
    this.#signal = signal;
  }

  async make(): Promise<void> {
    for (const name of ["objects", "refs", "info"]) {
      await mkdir(join(this.#folder, name), { mode: 0o700 });
    }
    const long = this.#repository.commit?.length === 64;
    const format = long
      ? "repositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256"
      : "repositoryformatversion = 0";
    await writeFile(join(this.#folder, "config"), `[core]\n\t${format}\n`);
    await writeFile(join(this.#folder, "HEAD"), "ref: refs/heads/none\n");
    // Above every .gitattributes of the workspace.
    await writeFile(join(this.#folder, "info", "attributes"), "* -filter -diff\n");
    this.#settings = await this.#harmlessSettings();
  }

  /** Which files of the commit changed; that of a staged file may turn out to be the same. */
  async changed(): Promise<CommittedFile[]> {
    const borrowed = await this.#borrowIndex();
    const found = borrowed ? await this.#compare() : undefined;
    if (found?.ok) {
      return committedFiles(found.stdout);
    }
    // No index, or one that is in pieces: everything is looked at.
    await rm(this.#index, { force: true });
    await this.#must(["read-tree", this.#commit]);
    const compared = await this.#compare();
    if (!compared.ok) {
      throw new RefusalError("unavailable", sentence(compared));
    }
    return committedFiles(compared.stdout);
  }

  /** Files that git does not know and does not ignore. */
  async untracked(): Promise<string[]> {
    const exclude = join(this.#repository.commonDir, "info", "exclude");
    const isThere = (await lstat(exclude).catch(() => undefined))?.isFile() === true;
    const args = ["ls-files", "--others", "--exclude-standard", "-z"];
    const listed = await this.#must([...args, ...(isThere ? [`--exclude-from=${exclude}`] : [])]);
    // What ends with a slash is a repository of its own.
    const isFile = (path: string) => path !== "" && !path.endsWith("/");
    return listed.split("\0").filter((path) => isFile(path) && !isAside(basename(path)));
  }

  /** How large each object is; one that is not there is left out. */
  async sizes(objects: readonly string[]): Promise<Map<string, number>> {
    const stdin = objects.map((object) => `${object}\n`).join("");
    const listed = await this.#must(["cat-file", "--batch-check"], { stdin });
    const sizes = listed.matchAll(/^([0-9a-f]+) blob (\d+)$/gm);
    return new Map([...sizes].map(([, object = "", size]) => [object, Number(size)]));
  }

  /** Writes files of the commit into another folder, as git would check them out. */
  async extract(paths: readonly string[], into: string): Promise<void> {
    const args = ["restore", `--source=${this.#commit}`, "--worktree", "--pathspec-from-file=-"];
    await this.#must([...args, "--pathspec-file-nul"], {
      stdin: paths.join("\0"),
      env: { GIT_WORK_TREE: into },
    });
  }

  get #index(): string {
    return join(this.#folder, "index");
  }

  /** Before the first commit everything is compared with nothing. */
  get #commit(): string {
    return this.#repository.commit ?? "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
  }

  async #compare(): Promise<GitResult> {
    await this.#git(["update-index", "-q", "--refresh"]);
    // With a look into submodules git would start itself in there, with their settings.
    const args = ["diff-index", "--raw", "-z", "--no-abbrev", "--no-renames"];
    const never = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
    return this.#git([...args, ...never, this.#commit, "--"]);
  }

  /** The user's index knows the times of unchanged files: only the others have to be read. */
  async #borrowIndex(): Promise<boolean> {
    const path = join(this.#repository.gitDir, "index");
    const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
    if (file === undefined) {
      return false;
    }
    try {
      const found = await file.stat();
      if (!found.isFile()) {
        return false;
      }
      await writeFile(this.#index, file.createReadStream({ autoClose: false }), {
        signal: this.#signal,
      });
      // Files that are younger than the index are read again: a copy must not look younger.
      const second = Math.floor(found.mtimeMs / 1_000);
      await utimes(this.#index, second, second);
      return true;
    } finally {
      await file.close();
    }
  }

  async #harmlessSettings(): Promise<string[]> {
    const file = join(this.#repository.commonDir, "config");
    const args = ["config", "--file", file, "--no-includes", "--null", "--list"];
    const { ok, stdout } = await this.#git(args);
    if (!ok) {
      return [];
    }
    const settings = stdout.split("\0").filter((setting) => harmless.test(setting));
    return settings.map((setting) => setting.replace("\n", "="));
  }

  async #must(args: readonly string[], more?: MoreForGit): Promise<string> {
    const result = await this.#git(args, more);
    if (!result.ok) {
      throw new RefusalError("unavailable", sentence(result));
    }
    return result.stdout;
  }

  async #git(args: readonly string[], more?: MoreForGit): Promise<GitResult> {
    const own = ["core.fsmonitor=false", "core.hooksPath=/dev/null", "core.quotePath=false"];
    const objects = join(this.#repository.commonDir, "objects");
    const git = {
      folder: this.#folder,
      workspace: this.#workspace,
      index: this.#index,
      settings: [...this.#settings, ...own],
      env: { GIT_ATTR_NOSYSTEM: "1", GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(objects) },
    };
    const result = await runOwnGit(git, args, this.#signal, more);
    this.#signal.throwIfAborted();
    return result;
  }
}

/** Otherwise a colon would part it. */
function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, "\\$&")}"`;
}

function sentence({ stderr }: GitResult): string {
  const said = stderr.split("\n").findLast((line) => /fatal|error/i.test(line));
  return `The workspace could not be compared: ${said ?? "git could not be run on the drone"}`;
}

/** Repositories inside of this one are nobody's files; a conflict comes twice. */
function committedFiles(raw: string): CommittedFile[] {
  const files = new Map<string, CommittedFile>();
  for (const { path, before, after, object } of rawChanges(raw)) {
    if (before !== gitlink && after !== gitlink && !files.has(path)) {
      files.set(path, { path, mode: before, modeNow: after, object });
    }
  }
  return [...files.values()];
}
