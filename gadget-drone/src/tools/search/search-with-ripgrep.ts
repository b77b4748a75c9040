import { Breath } from "../../breath.ts";
import { runCommand } from "../../process/run-command.ts";
import { asideGlob } from "../../workspace/aside-files.ts";
import { alwaysIgnored } from "../../workspace/match/ignore-rules.ts";
import { readLines } from "../../workspace/read-lines.ts";
import type { DroneToolContext } from "../tool-context.ts";
import { moreMatch, type Search, type SearchResult, searchLimits, tooLong } from "./search.ts";

/** Lines that match, before it is known whether their files were meant. */
const mostHits = 100_000;

const never = [...alwaysIgnored, asideGlob];
const options = [
  "--no-config",
  "--line-number",
  "--no-heading",
  "--with-filename",
  "--null",
  "--sort=path",
  // Only where lines are is taken from it: what stands in them is read in the way that is safe.
  "--max-columns=1",
  "--max-filesize=5M",
  // As everywhere here: .gitignore files count also where there is no repository, and no others.
  "--hidden",
  "--no-require-git",
  "--no-ignore-dot",
  "--no-ignore-exclude",
  "--no-ignore-global",
  "--no-ignore-parent",
  ...never.map((name) => `--glob=!${name}`),
];

export async function searchWithRipgrep(
  ripgrep: string,
  search: Search,
  rules: readonly string[],
  context: DroneToolContext,
): Promise<SearchResult> {
  const { workspace, signal } = context;
  const asked = search.ignoreCase === true ? ["--ignore-case"] : [];
  const hits = new Hits();
  let stderr = "";
  const running = runCommand({
    argv: [
      ripgrep,
      ...options,
      ...rules,
      ...asked,
      `--regexp=${search.pattern}`,
      "--",
      search.path === "" ? "." : search.path,
    ],
    cwd: workspace,
    env: {},
    signal,
    timeoutMs: searchLimits.timeoutMs,
    onOutput: (text, stream) => {
      if (stream === "stderr") {
        stderr = (stderr + text).slice(0, 2_000);
      } else {
        hits.add(text);
      }
    },
  });
  context.commandStarted(running);
  const result = await running;
  signal.throwIfAborted();
  if (result.stoppedBy === "timeout") {
    throw new Error(tooLong);
  }
  if (result.exitCode !== 0 && result.exitCode !== 1 && hits.count === 0) {
    throw new Error(`The search failed: ${result.startError ?? stderr.trim()}`);
  }
  return linesOf(hits, search, workspace, signal);
}

async function linesOf(
  hits: Hits,
  { wants }: Search,
  workspace: string,
  signal: AbortSignal,
): Promise<SearchResult> {
  const { mostMatches, longestLine, largestBytes } = searchLimits;
  const breath = new Breath(signal);
  const found: string[] = [];
  let lost = 0;
  for (const [path, numbers] of hits.byPath) {
    if (breath.due) {
      await breath.take();
    }
    // Not as ripgrep's --glob, which would bring back what git ignores.
    if (!wants(path)) {
      continue;
    }
    const left = numbers.slice(0, mostMatches + 1 - found.length);
    const lines = await readLines(workspace, path, left, largestBytes);
    for (const [index, line] of lines.entries()) {
      if (line === undefined) {
        lost++;
      } else if (found.length === mostMatches) {
        return { lines: found, notes: [moreMatch] };
      } else {
        found.push(`${path}:${left[index]}:${line.slice(0, longestLine)}`);
      }
    }
  }
  const more = hits.count > mostHits ? [moreMatch] : [];
  const changed = lost > 0 ? [`[${lost} lines changed meanwhile]`] : [];
  return { lines: found, notes: [...more, ...changed] };
}

/** Where lines match: the numbers of a file's lines, file by file. */
class Hits {
  readonly byPath = new Map<string, number[]>();
  count = 0;
  #rest = "";

  /** `path NUL number : what stands there`, in pieces of any size. */
  add(text: string): void {
    const pieces = (this.#rest + text).split("\n");
    this.#rest = pieces.pop() ?? "";
    for (const piece of pieces) {
      const end = piece.indexOf("\0");
      if (end === -1 || ++this.count > mostHits) {
        continue;
      }
      const path = piece.slice(0, end).replace(/^\.\//, "");
      const numbers = this.byPath.get(path);
      const number = Number.parseInt(piece.slice(end + 1), 10);
      if (numbers === undefined) {
        this.byPath.set(path, [number]);
      } else {
        numbers.push(number);
      }
    }
  }
}
