import { lstat, mkdir, mkdtemp, readlink, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { FileDiff, WorkspaceDiff } from "@gadget/api";
import { readWhole } from "../files.ts";
import { BorrowedRepository, type CommittedFile } from "../git/borrowed-repository.ts";
import { findRepository } from "../git/repository.ts";
import { safePath } from "../safe-path.ts";
import { fileDiff, largestText, messageBytes, shortener } from "./file-diff.ts";

export interface WorkspaceDiffOptions {
  workspace: string;
  dataDir: string;
  hasGit: boolean;
  signal: AbortSignal;
  limits?: { files: number; bytes: number };
}

const usualLimits = { files: 500, bytes: messageBytes };
/** In place of bytes that are too many to be compared: like those of a binary file. */
const large = Buffer.from("\0");

/**
 * All that differs from the last commit. A repository can name programs that git runs at many
 * occasions; nothing of it is run here.
 */
export async function workspaceDiff(options: WorkspaceDiffOptions): Promise<WorkspaceDiff> {
  const { workspace, dataDir, hasGit, signal } = options;
  if (!hasGit) {
    return nothing("The drone's machine has no git, which is needed to compare.");
  }
  const repository = await findRepository(workspace, signal);
  if (repository === undefined) {
    return nothing("This folder is not a git repository: there is no commit to compare it with.");
  }
  const temporary = join(dataDir, "tmp");
  await mkdir(temporary, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(temporary, "diff-"));
  try {
    const [gitDir, before] = [join(folder, "git"), join(folder, "before")];
    await mkdir(gitDir);
    await mkdir(before);
    const borrowed = new BorrowedRepository(workspace, repository, gitDir, signal);
    await borrowed.make();
    const changed = await borrowed.changed();
    const known = new Set(changed.map(({ path }) => path));
    const added = (await borrowed.untracked()).filter((path) => !known.has(path));
    const all = [...changed, ...added.map(untracked)].sort((a, b) => (a.path < b.path ? -1 : 1));
    const { files: mostFiles } = options.limits ?? usualLimits;
    const shown = all.slice(0, mostFiles);
    const extracted = await extract(borrowed, shown, before);
    const files = await compare(shown, { ...options, before, extracted });
    return { files, omitted: all.length - shown.length };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function nothing(note: string): WorkspaceDiff {
  return { files: [], omitted: 0, note };
}

function untracked(path: string): CommittedFile {
  return { path, mode: null, modeNow: null, object: "" };
}

/** The commit's files that are small enough to be shown; gives their paths. */
async function extract(
  borrowed: BorrowedRepository,
  files: readonly CommittedFile[],
  into: string,
): Promise<Set<string>> {
  const committed = files.filter(({ mode }) => mode !== null);
  if (committed.length === 0) {
    return new Set();
  }
  const sizes = await borrowed.sizes(committed.map(({ object }) => object));
  const small = committed.filter(({ object }) => (sizes.get(object) ?? Infinity) <= largestText);
  const paths = small.map(({ path }) => path);
  if (paths.length > 0) {
    await borrowed.extract(paths, into);
  }
  return new Set(paths);
}

interface Comparison extends WorkspaceDiffOptions {
  /** Where the extracted files of the commit are. */
  before: string;
  extracted: ReadonlySet<string>;
}

async function compare(
  files: readonly CommittedFile[],
  { workspace, before, extracted, signal, limits = usualLimits }: Comparison,
): Promise<FileDiff[]> {
  const shorten = shortener(limits.bytes);
  const diffs: FileDiff[] = [];
  for (const { path, mode, modeNow } of files) {
    signal.throwIfAborted();
    const from = mode === null ? null : extracted.has(path) ? await contentOf(before, path) : large;
    const to = await contentOf(workspace, path);
    if (from === null && to === null) {
      continue;
    }
    const diff = fileDiff(path, asState(from), asState(to));
    if (from !== null && to !== null && from !== large && to !== large && from.equals(to)) {
      // Touched or staged, and the same again.
      if (mode === modeNow || modeNow === null) {
        continue;
      }
      diff.diff = `old mode ${mode}\nnew mode ${modeNow}\n`;
    }
    diffs.push(shorten(diff));
  }
  return diffs;
}

const asState = (bytes: Buffer | null) => (bytes === null ? null : { bytes });

/** A link's content is where it leads to. Null: there is no file. */
async function contentOf(folder: string, path: string): Promise<Buffer | null> {
  // A folder that has become a link leads to other files than those that git knows.
  const parent = await safePath(folder, dirname(path)).catch(() => undefined);
  if (parent !== join(folder, dirname(path))) {
    return null;
  }
  const found = await lstat(join(folder, path)).catch(() => undefined);
  if (found?.isSymbolicLink()) {
    return readlink(join(folder, path), "buffer").catch(() => null);
  }
  if (!found?.isFile()) {
    return null;
  }
  const content = await readWhole(folder, path, largestText).catch(() => ({ bytes: large }));
  return content?.bytes ?? null;
}
