import type { FoundFile, FoundFiles } from "@gadget/api";
import { fuzzyRank } from "../workspace/match/fuzzy-rank.ts";
import { walkFiles } from "../workspace/match/walk-files.ts";

const mostNames = 20_000;
const mostFound = 50;

interface Ranked extends FoundFile {
  rank: number;
}

/** The files and folders of a workspace that git would not ignore and that fit what was typed. */
export async function findFiles(
  workspace: string,
  wanted: string,
  signal: AbortSignal,
): Promise<FoundFiles> {
  const rankOf = fuzzyRank(wanted);
  const best: Ranked[] = [];
  const folders = new Set<string>();
  let note: string | undefined;
  let names = 0;
  const look = (path: string, kind: FoundFile["kind"]): void => {
    names += 1;
    const rank = rankOf(path);
    if (rank !== undefined) {
      keep(best, { path, kind, rank });
    }
  };
  // The walk takes breath between two files, and ends with the signal.
  for await (const path of walkFiles(workspace, "", signal, (problem) => (note ??= problem))) {
    if (names >= mostNames) {
      note = `Only the first ${mostNames} names of the workspace were looked at.`;
      break;
    }
    for (const folder of foldersOf(path)) {
      if (!folders.has(folder)) {
        folders.add(folder);
        look(folder, "folder");
      }
    }
    look(path, "file");
  }
  const items = best.map(({ path, kind }) => ({ path, kind }));
  return { items, ...(note !== undefined && { note }) };
}

/** The folders of a file, the nearest first. */
function* foldersOf(path: string): Generator<string> {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    yield path.slice(0, end);
  }
}

/** Into its place, if it is among the best. */
function keep(best: Ranked[], found: Ranked): void {
  const place = best.findIndex((other) => found.rank < other.rank);
  if (place >= 0) {
    best.splice(place, 0, found);
  } else if (best.length < mostFound) {
    best.push(found);
  }
  if (best.length > mostFound) {
    best.pop();
  }
}
