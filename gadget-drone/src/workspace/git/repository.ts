import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { join, resolve } from "node:path";

/** The user's own git repository of a workspace. */
export interface Repository {
  /** Where its HEAD and index are. */
  gitDir: string;
  /** Where objects, branches and settings are: another folder for a linked worktree. */
  commonDir: string;
  /** Null: no branch is checked out, HEAD is at a commit. */
  branch: string | null;
  /** Null: the branch has no commit yet. */
  commit: string | null;
}

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const smallFile = 4_096;
const largestRefs = 50 * 1024 * 1024;
const mostLinks = 5;

/**
 * Reads which branch and commit a workspace is at. Git is not asked: it would obey the repository's
 * settings, which can name any program. Only text of git's own form is taken from these files, so
 * that a `.git` which leads elsewhere shows nothing of what is there.
 */
export async function findRepository(
  workspace: string,
  signal: AbortSignal,
): Promise<Repository | undefined> {
  const gitDir = await gitDirOf(workspace, signal);
  if (gitDir === undefined) {
    return undefined;
  }
  const head = await readText(join(gitDir, "HEAD"), smallFile, signal);
  const common = (await readText(join(gitDir, "commondir"), smallFile, signal))?.trim();
  const commonDir = common === undefined ? gitDir : resolve(gitDir, common);
  const ref = refIn(head);
  if (ref === undefined) {
    const commit = commitIn(head);
    return commit === undefined ? undefined : { gitDir, commonDir, branch: null, commit };
  }
  // A repository whose branches are kept in tables says this to whoever reads files.
  if (ref === "refs/heads/.invalid") {
    return undefined;
  }
  const commit = await commitOf(commonDir, ref, signal);
  return { gitDir, commonDir, branch: ref.replace(/^refs\/(?:heads\/)?/, ""), commit };
}

async function gitDirOf(workspace: string, signal: AbortSignal): Promise<string | undefined> {
  const dotGit = join(workspace, ".git");
  const found = await stat(dotGit).catch(() => undefined);
  if (found?.isDirectory()) {
    return dotGit;
  }
  const text = await readText(dotGit, smallFile, signal);
  const [, path] = /^gitdir: ([^\0\n]+)\n?$/.exec(text ?? "") ?? [];
  return path === undefined ? undefined : resolve(workspace, path);
}

/** Branches are files of their own or lines of one file; a branch may stand for another one. */
async function commitOf(
  commonDir: string,
  ref: string,
  signal: AbortSignal,
): Promise<string | null> {
  let name = ref;
  for (let link = 0; link < mostLinks; link++) {
    const text = await readText(join(commonDir, name), smallFile, signal);
    if (text === undefined) {
      break;
    }
    const commit = commitIn(text);
    if (commit !== undefined) {
      return commit;
    }
    const next = refIn(text);
    if (next === undefined) {
      return null;
    }
    name = next;
  }
  const packed = await readText(join(commonDir, "packed-refs"), largestRefs, signal);
  const line = packed?.split("\n").find((each) => each.endsWith(` ${name}`));
  return commitIn(line?.slice(0, -name.length - 1)) ?? null;
}

/** A ref's name as git allows it: it can't lead out of the folder. */
function refIn(text: string | undefined): string | undefined {
  const [, ref] = /^ref: *(refs\/[^\s~^:?*[\\\p{C}]{1,500})\n?$/u.exec(text ?? "") ?? [];
  if (ref === "refs/heads/.invalid") {
    return ref;
  }
  return ref?.split("/").some((name) => name === "" || name.startsWith(".")) ? undefined : ref;
}

function commitIn(text: string | undefined): string | undefined {
  return /^([0-9a-f]{40}|[0-9a-f]{64})\n?$/.exec(text ?? "")?.[1];
}

/** Undefined where there is no such file, or one that git would not have written. */
async function readText(
  path: string,
  limitBytes: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  signal.throwIfAborted();
  // Without O_NONBLOCK a pipe without a writer would hold us for ever.
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (file === undefined) {
    return undefined;
  }
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size > limitBytes) {
      return undefined;
    }
    return await file.readFile({ encoding: "utf8", signal });
  } finally {
    await file.close();
  }
}
