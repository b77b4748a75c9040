import { relative } from "node:path";
import { Worker } from "node:worker_threads";
import { defineTool } from "@gadget/agent";
import { z } from "zod";
import { runCommand } from "../process/run-command.ts";
import { asideGlob } from "../workspace/aside-files.ts";
import { globToRegExp } from "../workspace/glob-pattern.ts";
import { safePath } from "../workspace/safe-path.ts";
import { walkFiles } from "../workspace/walk-files.ts";
import { searchWorker } from "./search-worker.ts";
import type { DroneToolContext } from "./tool-context.ts";

const mostMatches = 500;
const longestLine = 400;
const largestBytes = 5 * 1024 * 1024;
const timeoutMs = 20_000;
const filesAtOnce = 50;

const input = z.object({
  pattern: z.string().max(2_000).describe("A regular expression, looked for line by line."),
  path: z.string().optional().describe("A file or folder, relative to the workspace."),
  glob: z.string().max(1_000).optional().describe("Only files whose names match, as *.ts."),
  ignoreCase: z.boolean().optional(),
});
type Search = z.infer<typeof input> & { path: string };

export const grep = defineTool<typeof input, DroneToolContext>({
  name: "grep",
  description: `Searches the files of the workspace by a regular expression; gives path:line:text, at most ${mostMatches} matches. Skips what git ignores.`,
  input,
  readOnly: true,
  timeoutMs: timeoutMs + 5_000,
  async run(search, context) {
    const where = relative(
      context.workspace,
      await safePath(context.workspace, search.path ?? "."),
    );
    const asked = { ...search, path: where };
    const found =
      context.ripgrep === undefined
        ? await searchInThread(asked, context)
        : await searchWithRipgrep(context.ripgrep, asked, context);
    return found.length === 0 ? "Nothing matches." : found.join("\n");
  },
});

async function searchWithRipgrep(ripgrep: string, search: Search, context: DroneToolContext) {
  const { workspace, signal } = context;
  const options = [
    "--no-config",
    "--line-number",
    "--no-heading",
    "--with-filename",
    "--null",
    "--sort=path",
  ];
  const limits = [`--max-columns=${longestLine}`, "--max-columns-preview", "--max-filesize=5M"];
  // As everywhere here: .gitignore files count also where there is no repository.
  const files = ["--hidden", "--no-require-git"];
  const skipped = [".git", "node_modules", asideGlob].map((name) => `--glob=!${name}`);
  const asked = search.ignoreCase === true ? ["--ignore-case"] : [];
  // Not as its --glob, which would bring back what git ignores.
  const wanted = search.glob === undefined ? undefined : globToRegExp(anywhere(search.glob));
  const lines: string[] = [];
  let rest = "";
  let stderr = "";
  const take = (text: string): void => {
    const pieces = (rest + text).split("\n");
    rest = pieces.pop() ?? "";
    for (const piece of pieces) {
      const end = piece.indexOf("\0");
      const path = piece.slice(0, end).replace(/^\.\//, "");
      if (end === -1 || lines.length > mostMatches || wanted?.test(path) === false) continue;
      lines.push(`${path}:${piece.slice(end + 1)}`);
    }
  };
  const result = await runCommand({
    argv: [
      ripgrep,
      ...options,
      ...limits,
      ...files,
      ...asked,
      ...skipped,
      `--regexp=${search.pattern}`,
      "--",
      search.path === "" ? "." : search.path,
    ],
    cwd: workspace,
    env: {},
    signal,
    timeoutMs,
    onOutput: (text, stream) => {
      if (stream === "stderr") stderr = (stderr + text).slice(0, 2_000);
      else take(text);
    },
  });
  context.commandEnded(result);
  signal.throwIfAborted();
  if (result.stoppedBy === "timeout") throw new Error(tooLong);
  if (result.exitCode !== 0 && result.exitCode !== 1 && lines.length === 0) {
    throw new Error(`The search failed: ${result.startError ?? stderr.trim()}`);
  }
  const shown = lines.slice(0, mostMatches);
  return lines.length > mostMatches ? [...shown, "[more lines match]"] : shown;
}

const tooLong = "The search took too long. Use a simpler expression, or a smaller folder.";

async function searchInThread(search: Search, { workspace, signal }: DroneToolContext) {
  const source = search.pattern;
  const flags = search.ignoreCase === true ? "iu" : "u";
  const checked = checkedFlags(source, flags);
  const worker = new Worker(searchWorker, {
    eval: true,
    workerData: { workspace, source, flags: checked, mostMatches, largestBytes, longestLine },
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  const limit = AbortSignal.timeout(timeoutMs);
  const stop = AbortSignal.any([signal, limit]);
  try {
    return await searchFiles(worker, search, workspace, stop);
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) throw new Error(tooLong, { cause: error });
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

async function searchFiles(worker: Worker, search: Search, workspace: string, stop: AbortSignal) {
  const matches = search.glob === undefined ? undefined : globToRegExp(anywhere(search.glob));
  const found: string[] = [];
  let batch: string[] = [];
  const flush = async () => {
    const { lines, full } = await answer(worker, batch, stop);
    batch = [];
    found.push(...lines);
    return full;
  };
  for await (const file of filesOf(workspace, search.path, stop)) {
    if (matches !== undefined && !matches.test(file)) continue;
    batch.push(file);
    if (batch.length === filesAtOnce && (await flush())) return [...found, "[more lines match]"];
  }
  if (batch.length > 0 && (await flush())) return [...found, "[more lines match]"];
  return found;
}

function anywhere(glob: string): string {
  return glob.includes("/") ? glob : `**/${glob}`;
}

async function* filesOf(workspace: string, path: string, signal: AbortSignal) {
  let any = false;
  for await (const file of walkFiles(workspace, path, signal)) {
    any = true;
    yield file;
  }
  // Not a folder: then it is the one file that was asked for.
  if (!any && path !== "") yield path;
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
    if (stop.aborted) onStop();
    worker.once("message", (message: { lines: string[]; full: boolean }) =>
      settle(() => resolve(message))(),
    );
    worker.once("error", (error) => settle(() => reject(error))());
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
    worker.postMessage(files);
  });
}
