import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { walkFiles } from "../../workspace/match/walk-files.ts";
import type { DroneToolContext } from "../tool-context.ts";
import { moreMatch, type Search, type SearchResult, searchLimits, tooLong } from "./search.ts";

/** Read once: what somebody does to the file changes nothing for the drone that runs. */
const searchWorker = readFileSync(new URL("./search-worker.cjs", import.meta.url), "utf8");

const filesAtOnce = 50;

/** Without ripgrep, or where it must not be let loose. */
export async function searchInThread(
  search: Search,
  { workspace, signal }: DroneToolContext,
): Promise<SearchResult> {
  const { pattern: source, ignoreCase } = search;
  const flags = checkedFlags(source, ignoreCase === true ? "iu" : "u");
  const { mostMatches, largestBytes, longestLine, timeoutMs } = searchLimits;
  const worker = new Worker(searchWorker, {
    eval: true,
    workerData: { workspace, source, flags, mostMatches, largestBytes, longestLine },
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  const limit = AbortSignal.timeout(timeoutMs);
  const stop = AbortSignal.any([signal, limit]);
  try {
    return await searchFiles(worker, search, workspace, stop);
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) {
      throw new Error(tooLong, { cause: error });
    }
    throw error;
  } finally {
    await worker.terminate();
  }
}

function checkedFlags(source: string, flags: string): string {
  for (const tried of [flags, flags.replace("u", "")]) {
    try {
      new RegExp(source, tried);
      return tried;
    } catch {
      // The other reading of the pattern may be valid.
    }
  }
  throw new Error(`"${source}" is no valid regular expression.`);
}

async function searchFiles(
  worker: Worker,
  search: Search,
  workspace: string,
  stop: AbortSignal,
): Promise<SearchResult> {
  const found: string[] = [];
  const notes: string[] = [];
  let batch: string[] = [];
  const flush = async () => {
    const { lines, full } = await answer(worker, batch, stop);
    batch = [];
    found.push(...lines);
    return full;
  };
  for await (const file of filesOf(workspace, search.path, stop, notes)) {
    if (!search.wants(file)) {
      continue;
    }
    batch.push(file);
    if (batch.length === filesAtOnce && (await flush())) {
      return { lines: found, notes: [moreMatch, ...notes] };
    }
  }
  if (batch.length > 0 && (await flush())) {
    return { lines: found, notes: [moreMatch, ...notes] };
  }
  return { lines: found, notes };
}

async function* filesOf(workspace: string, path: string, signal: AbortSignal, notes: string[]) {
  let any = false;
  const note = (problem: string) => {
    if (notes.length < searchLimits.mostNotes) {
      notes.push(`[${problem}]`);
    }
  };
  for await (const file of walkFiles(workspace, path, signal, note)) {
    any = true;
    yield file;
  }
  // Not a folder: then it is the one file that was asked for.
  if (!any && path !== "") {
    yield path;
  }
}

function answer(worker: Worker, files: string[], stop: AbortSignal) {
  return new Promise<{ lines: string[]; full: boolean }>((resolve, reject) => {
    const settle = (then: () => void) => () => {
      stop.removeEventListener("abort", onStop);
      worker.removeAllListeners("message");
      worker.removeAllListeners("error");
      then();
    };
    const onStop = settle(() => reject(new Error("stopped")));
    stop.addEventListener("abort", onStop, { once: true });
    if (stop.aborted) {
      onStop();
    }
    worker.once("message", (message: { lines: string[]; full: boolean }) =>
      settle(() => resolve(message))(),
    );
    worker.once("error", (error) => settle(() => reject(error))());
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
    worker.postMessage(files);
  });
}
