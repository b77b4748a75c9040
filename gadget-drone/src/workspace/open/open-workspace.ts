import { mkdir, realpath, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { unlessAborted } from "@gadget/agent";
import { RefusalError, type WorkspaceSource } from "@gadget/api";
import { runGit } from "../git/git.ts";
import { forgetCredentials, gitAddress } from "../git/git-address.ts";
import { withoutPassword } from "../git/progress-line.ts";
import type { Roots } from "../roots.ts";
import { writeSample } from "./write-sample.ts";

export interface WorkspaceRequest {
  source: WorkspaceSource;
  /** Absolute for an existing folder; otherwise a name under the drone's workspaces. */
  directory?: string | undefined;
}

export interface OpenOptions {
  roots: Roots;
  signal: AbortSignal;
  /** Whether a missing workspace is made; otherwise it is refused. */
  make: boolean;
  onProgress?: (text: string) => void;
}

const cloneMs = 3_600_000;

const making = new Map<string, Promise<void>>();

/** The real path of a project's folder, made or cloned first where that is asked for. */
export async function openWorkspace(
  { source, directory }: WorkspaceRequest,
  options: OpenOptions,
): Promise<string> {
  const { roots, make } = options;
  if (source.kind === "directory") {
    return existing(source.directory, roots);
  }
  if (directory?.startsWith("/")) {
    return existing(directory, roots);
  }
  const name = directory ?? (source.kind === "sample" ? "sample" : undefined);
  if (name === undefined) {
    throw new RefusalError("not_found", "This project has no folder yet.");
  }
  const folder = folderOf(name, roots);
  // One after the other: two turns of a new project must not clone into the same folder.
  for (let other = making.get(folder); other !== undefined; other = making.get(folder)) {
    await unlessAborted(other, options.signal);
  }
  if (!(await isFolder(folder))) {
    if (!make) {
      throw new RefusalError("not_found", "This project has no folder on the drone yet.");
    }
    const work = makeWorkspace(source, folder, options);
    making.set(
      folder,
      work.catch(() => {}).finally(() => making.delete(folder)),
    );
    await work;
  }
  if (source.kind === "git") {
    await forgetCredentials(folder, source.gitUrl);
  }
  return realpath(folder);
}

/** Where a workspace is that the drone makes itself; it may not be there yet. */
function folderOf(name: string, roots: Roots): string {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/.test(name)) {
    throw new RefusalError("invalid", `"${name}" is no name for a workspace.`);
  }
  return join(roots.workspaces, name);
}

/** Whether a workspace of this name is there, and whether it is being made now. */
export async function lookForWorkspace(
  name: string,
  roots: Roots,
): Promise<{ isMade: boolean; isBeingMade: boolean }> {
  const folder = folderOf(name, roots);
  return { isMade: await isFolder(folder), isBeingMade: making.has(folder) };
}

async function existing(path: string, roots: Roots): Promise<string> {
  const folder = await roots.folder(path);
  if (!(await isFolder(folder))) {
    throw new RefusalError("not_found", `"${path}" is not a folder on the drone.`);
  }
  return folder;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

async function makeWorkspace(
  source: WorkspaceSource,
  folder: string,
  options: OpenOptions,
): Promise<void> {
  const part = `${folder}.new`;
  await rm(part, { recursive: true, force: true });
  try {
    if (source.kind === "git") {
      await clone(source.gitUrl, part, options);
    } else {
      await mkdir(part, { recursive: true });
      if (source.kind === "sample") {
        await writeSample(part);
      }
    }
    options.signal.throwIfAborted();
    await rename(part, folder);
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    throw error;
  }
}

async function clone(address: string, folder: string, options: OpenOptions): Promise<void> {
  checkUrl(address);
  const { url, env } = gitAddress(address);
  const { signal, onProgress, roots } = options;
  // No helper programs that the address could name, and no submodules, which name more addresses.
  const safe = ["-c", "protocol.ext.allow=never", "-c", "core.hooksPath=/dev/null"];
  const args = [...safe, "clone", "--progress", "--no-recurse-submodules", "--", url, folder];
  const cloned = await runGit({
    args,
    cwd: roots.workspaces,
    env,
    signal,
    timeoutMs: cloneMs,
    ...(onProgress && { onProgress }),
  });
  signal.throwIfAborted();
  if (cloned.ok) {
    return;
  }
  const said = cloned.stopped
    ? "it took too long. Clone it by hand and open the folder"
    : cloned.stderr.split("\n").findLast((line) => /fatal|error/i.test(line));
  const why = withoutPassword(said ?? "git could not be run on the drone");
  throw new RefusalError("invalid", `The repository could not be cloned: ${why}`);
}

function checkUrl(url: string): void {
  const plain = /^(?:https?|ssh|git):\/\/[^\s-][^\s]*$/.test(url);
  const short = /^[\w.-]+@[\w.-]+:[^\s]+$/.test(url);
  if (plain || short) {
    return;
  }
  const shown = withoutPassword(url);
  throw new RefusalError(
    "invalid",
    `"${shown}" is no address that can be cloned: use https or ssh.`,
  );
}
