import { lstat } from "node:fs/promises";
import { join, relative } from "node:path";
import { unlessAborted } from "@gadget/agent";
import { type AiFailure, type AiModel, ollamaContextLength } from "@gadget/ai";
import {
  contextWindowOf,
  type FolderEntry,
  type FolderListing,
  type Model,
  type ProviderAccess,
  RefusalError,
  type WorkspaceFile,
} from "@gadget/api";
import type { Logger } from "pino";
import type { Requests } from "../gadget-drone.ts";
import type { OutboundProxy } from "../link/outbound-proxy.ts";
import type { KeptOutputs } from "../outputs/kept-outputs.ts";
import type { BackgroundRegistry } from "../process/background-registry.ts";
import type { Demo } from "../services/demo.ts";
import { providerFor } from "../services/provider-for.ts";
import { type AsideFiles, isAside } from "../workspace/changes/aside-files.ts";
import type { ChangeStore } from "../workspace/changes/change-store.ts";
import { isBinary } from "../workspace/changes/file-diff.ts";
import { turnDiff, undoTurn } from "../workspace/changes/undo.ts";
import { workspaceDiff } from "../workspace/changes/workspace-diff.ts";
import { readWhole } from "../workspace/files.ts";
import type { Clones } from "../workspace/git/clones.ts";
import { findRepository } from "../workspace/git/repository.ts";
import { openWorkspace, type WorkspaceRequest } from "../workspace/open-workspace.ts";
import { readFolder } from "../workspace/read-folder.ts";
import type { Roots } from "../workspace/roots.ts";
import { hasCode, safePath } from "../workspace/safe-path.ts";
import { CancellableRequests } from "./cancellable-requests.ts";
import { findFiles } from "./find-files.ts";

export interface RequestsOptions {
  dataDir: string;
  hasGit: boolean;
  roots: Roots;
  changeStore: ChangeStore;
  asides: AsideFiles;
  background: BackgroundRegistry;
  outputs: KeptOutputs;
  clones: Clones;
  demo: Demo;
  proxy: OutboundProxy | undefined;
  log: Logger;
}

const filesMs = 10_000;
const undoMs = 60_000;
const diffMs = 30_000;
const modelsMs = 20_000;
const stopMs = 10_000;
const mostEntries = 5_000;
const shownBytes = 1024 * 1024;
const largestBytes = 50 * 1024 * 1024;

/** What the server asks a drone about files, providers and commands; each with a limit of time. */
export function createRequests(options: RequestsOptions): Requests {
  const { dataDir, hasGit, roots, changeStore: store, asides } = options;
  const { background, outputs, clones, demo, proxy, log } = options;
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
    listModels: ({ provider: access }) =>
      within(modelsMs, async (signal) => {
        const provider = await providerFor(access, { demo, proxy });
        try {
          const listed = await provider.listModels({ signal });
          if (!listed.ok) {
            throw new RefusalError("unavailable", withDetail(listed.failure));
          }
          return { models: listed.value.map(modelToWire(access)) };
        } finally {
          provider.close();
        }
      }),
    testProvider: ({ provider: access, model }) =>
      within(modelsMs, async (signal) => {
        const provider = await providerFor(access, { demo, proxy });
        try {
          const tested = await provider.test({ signal, ...(model !== undefined && { model }) });
          if (!tested.ok) {
            return { ok: false, message: withDetail(tested.failure) };
          }
          const { models, modelFound, tookMs } = tested.value;
          // A server with one model answers with it, by whatever name it is asked for.
          if (modelFound === false && models.length !== 1) {
            const message = `It answers, but its default model ${model} is not among its ${models.length} models. Choose another one.`;
            return { ok: false, message, models: models.map(modelToWire(access)) };
          }
          const message = `It answers: ${models.length} models, in ${tookMs} ms.`;
          return { ok: true, message, models: models.map(modelToWire(access)) };
        } finally {
          provider.close();
        }
      }),
    listBackground: ({ sessionId }) => ({ commands: background.list(sessionId) }),
    stopBackground: ({ sessionId, commandId, leaves }) =>
      within(stopMs, async () => {
        log.info({ sessionId, commandId }, "Background commands are stopped");
        const stopped =
          commandId === undefined
            ? await background.stopSession(sessionId)
            : await background.stop(sessionId, commandId);
        if (leaves === true) {
          await outputs.removeSession(sessionId);
        }
        return { stopped };
      }),
  };
}

/** With the context size that a turn would plan with. */
const modelToWire =
  (access: ProviderAccess) =>
  ({ id, contextLength, tools }: AiModel): Model => {
    const set = contextWindowOf(access, id);
    const planned =
      access.kind === "ollama" ? ollamaContextLength(set, contextLength) : (set ?? contextLength);
    return {
      id,
      ...(planned !== undefined && { contextWindow: planned }),
      ...(tools !== undefined && { tools }),
    };
  };

/** What the server said, without keys: it tells what our own sentence can't. */
function withDetail({ message, detail }: AiFailure): string {
  return detail === undefined ? message : `${message} (${detail})`;
}

async function within<T>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  cancelled?: AbortSignal,
): Promise<T> {
  const tooLong = AbortSignal.timeout(ms);
  const signal = cancelled === undefined ? tooLong : AbortSignal.any([tooLong, cancelled]);
  try {
    return await unlessAborted(work(signal), signal);
  } catch (error) {
    if (!tooLong.aborted) {
      throw error;
    }
    throw new RefusalError("unavailable", `The drone needed more than ${ms / 1000} s for this.`);
  }
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
  const entries = await entriesOf(folder, "", path, wants);
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
    const entries = await entriesOf(workspace, shownPath, path);
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

/** What is at `path` of a folder, whose name is told as `asked`; at most 5,000, folders first. */
async function entriesOf(
  root: string,
  path: string,
  asked: string,
  wants: (entry: FolderEntry) => boolean = () => true,
): Promise<FolderEntry[]> {
  const { entries } = await readFolder(root, path).catch((error: unknown) => {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) {
      throw new RefusalError("not_found", `"${asked}" is not a folder on the drone.`);
    }
    if (hasCode(error, "EACCES")) {
      throw new RefusalError("invalid", `"${asked}" can't be read.`);
    }
    throw error;
  });
  const listed = entries
    .filter(({ name }) => !isAside(name))
    .map((entry): FolderEntry => {
      const kind = entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : "file";
      return { name: entry.name, path: join(root, path, entry.name), kind };
    })
    .filter(wants)
    .sort((a, b) => order(a) - order(b) || (a.name < b.name ? -1 : 1))
    .slice(0, mostEntries);
  for (const entry of listed) {
    const size =
      entry.kind === "file" ? (await lstat(entry.path).catch(() => undefined))?.size : undefined;
    if (size !== undefined) {
      entry.size = size;
    }
  }
  return listed;
}

function order({ kind }: FolderEntry): number {
  return kind === "folder" ? 0 : 1;
}
