import { lstat } from "node:fs/promises";
import { join, relative } from "node:path";
import {
  type CommandHandlers,
  type FolderEntry,
  type FolderListing,
  RefusalError,
  type serverOrders,
  type WorkspaceFile,
} from "@gadget/api";
import type { AsideFiles } from "../workspace/aside-files.ts";
import type { ChangeStore } from "../workspace/changes/change-store.ts";
import { isBinary } from "../workspace/changes/file-diff.ts";
import { turnDiff, undoTurn } from "../workspace/changes/undo.ts";
import { workspaceDiff } from "../workspace/changes/workspace-diff.ts";
import { readWhole } from "../workspace/files.ts";
import { findRepository } from "../workspace/git/repository.ts";
import type { Clones } from "../workspace/open/clones.ts";
import { openWorkspace, type WorkspaceRequest } from "../workspace/open/open-workspace.ts";
import type { Roots } from "../workspace/roots.ts";
import { safePath } from "../workspace/safe-path.ts";
import { CancellableRequests } from "./cancellable-requests.ts";
import { findFiles } from "./find-files.ts";
import { folderEntries } from "./folder-entries.ts";
import { within } from "./within.ts";

export interface FolderRequestsOptions {
  dataDir: string;
  hasGit: boolean;
  roots: Roots;
  changeStore: ChangeStore;
  asides: AsideFiles;
  clones: Clones;
}

type FolderRequests = Pick<
  CommandHandlers<typeof serverOrders>,
  | "listFolders"
  | "readWorkspace"
  | "findFiles"
  | "describeWorkspace"
  | "workspaceDiff"
  | "startClone"
  | "cloneState"
  | "cancelClone"
  | "cancelRequest"
  | "turnDiff"
  | "undoTurn"
>;

const filesMs = 10_000;
const undoMs = 60_000;
const diffMs = 30_000;
const stopMs = 10_000;
const shownBytes = 1024 * 1024;
const largestBytes = 50 * 1024 * 1024;

/** The drone's folders, the files of a workspace, and what turns have changed in them. */
export function folderRequests(options: FolderRequestsOptions): FolderRequests {
  const { dataDir, hasGit, roots, changeStore: store, asides, clones } = options;
  const cancellable = new CancellableRequests();
  // A look makes no folder but the sample's, whose files a newcomer should find before a first turn.
  const workspaceOf = (request: WorkspaceRequest, signal: AbortSignal) =>
    openWorkspace(request, { roots, signal, make: request.source.kind === "sample" });
  return {
    listFolders: ({ path }) => within(filesMs, () => listFolders(roots, path)),
    readWorkspace: ({ path, ...workspace }) =>
      within(filesMs, async (signal) => readEntry(await workspaceOf(workspace, signal), path)),
    findFiles: ({ requestId, wanted, ...request }) =>
      cancellable.run(requestId, (cancelled) =>
        within(
          filesMs,
          async (signal) => findFiles(await workspaceOf(request, signal), wanted, signal),
          cancelled,
        ),
      ),
    describeWorkspace: (request) =>
      within(filesMs, async (signal) => {
        const directory = await workspaceOf(request, signal);
        const { branch = null, commit = null } = (await findRepository(directory, signal)) ?? {};
        return { directory, branch, commit };
      }),
    workspaceDiff: ({ requestId, ...request }) =>
      cancellable.run(requestId, (cancelled) =>
        within(
          diffMs,
          async (signal) => {
            const workspace = await workspaceOf(request, signal);
            return workspaceDiff({ workspace, dataDir, hasGit, signal });
          },
          cancelled,
        ),
      ),
    cancelRequest: ({ requestId }) => {
      cancellable.cancel(requestId);
      return {};
    },
    startClone: (request) => within(filesMs, () => clones.start(request)),
    cloneState: (request) => within(filesMs, () => clones.state(request)),
    cancelClone: (request) => within(stopMs, () => clones.cancel(request)),
    turnDiff: ({ turnId }) => within(undoMs, (signal) => turnDiff({ store, turnId, signal })),
    undoTurn: ({ turnId, preview, ...request }) =>
      within(undoMs, async (signal) => {
        const workspace = await workspaceOf(request, signal);
        return undoTurn({ store, asides, turnId, workspace, preview, signal });
      }),
  };
}

async function listFolders(roots: Roots, path: string | undefined): Promise<FolderListing> {
  if (path === undefined || path === "") {
    const entries = roots.paths.map((root) => ({
      name: root,
      path: root,
      kind: "folder" as const,
    }));
    return { path: "", parent: null, entries };
  }
  const folder = await roots.folder(path);
  const wants = (entry: FolderEntry) => entry.kind === "folder" && roots.allows(entry.path);
  const entries = await folderEntries(folder, "", path, wants);
  const above = join(folder, "..");
  return { path: folder, parent: roots.allows(above) ? above : null, entries };
}

async function readEntry(workspace: string, path: string): Promise<WorkspaceFile> {
  const real = await safePath(workspace, path);
  const found = await lstat(real).catch(() => undefined);
  if (found === undefined) {
    throw new RefusalError("not_found", `There is no "${path}" here.`);
  }
  const shownPath = relative(workspace, real);
  if (found.isDirectory()) {
    const entries = await folderEntries(workspace, shownPath, path);
    const shown = entries.map((entry) => ({ ...entry, path: relative(workspace, entry.path) }));
    return { kind: "folder", path: shownPath, entries: shown };
  }
  const file = await readWhole(workspace, path, largestBytes);
  if (file === undefined) {
    throw new RefusalError("not_found", `There is no "${path}" here.`);
  }
  const { bytes } = file;
  const binary = isBinary(bytes);
  const cut = bytes.length > shownBytes;
  const text = bytes.subarray(0, shownBytes).toString("utf8");
  const shown = { path: shownPath, size: bytes.length, binary, cut };
  return { kind: "file", ...shown, ...(!binary && { text }) };
}
