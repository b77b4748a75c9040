import type { Dirent } from "node:fs";
import { RefusalError } from "@gadget/api";
import { Breath } from "../../breath.ts";
import { readWhole } from "../files.ts";
import { readFolder } from "../read-folder.ts";
import { IgnoreRules, largestRules, rulesFile } from "./ignore-rules.ts";

/** Told of what keeps the walk from seeing what git would see, in a sentence for the model. */
export type OnProblem = (text: string) => void;

interface Folder {
  /** Relative to the workspace, "" or with a slash at its end. */
  base: string;
  entries: Dirent[];
  /** The next entry. */
  next: number;
  rules: IgnoreRules | undefined;
}

/**
 * The files below a folder of the workspace that git would not ignore, relative to the workspace,
 * in order. Links are not followed.
 */
export async function* walkFiles(
  workspace: string,
  folder: string,
  signal: AbortSignal,
  onProblem: OnProblem,
): AsyncGenerator<string> {
  const breath = new Breath(signal);
  const walk = { workspace, onProblem };
  const way = [
    await openFolder(walk, folder === "" ? "" : `${folder}/`, await rulesAbove(walk, folder)),
  ];
  for (let here = way.at(-1); here !== undefined; here = way.at(-1)) {
    if (breath.due) {
      await breath.take();
    }
    const { base, entries, rules } = here;
    const entry = entries[here.next++];
    if (entry === undefined) {
      way.pop();
      continue;
    }
    const path = base + entry.name;
    if (await rules?.ignores(path, entry.isDirectory(), breath)) {
      continue;
    }
    if (entry.isDirectory()) {
      signal.throwIfAborted();
      way.push(await openFolder(walk, `${path}/`, rules));
    } else if (entry.isFile()) {
      yield path;
    }
  }
}

interface Walk {
  workspace: string;
  onProblem: OnProblem;
}

async function rulesAbove(walk: Walk, folder: string): Promise<IgnoreRules | undefined> {
  let rules: IgnoreRules | undefined;
  const names = folder === "" ? [] : folder.split("/");
  for (let depth = 0; depth < names.length; depth++) {
    const base = names
      .slice(0, depth)
      .map((name) => `${name}/`)
      .join("");
    rules = await readRules(walk, base, rules);
  }
  return rules;
}

async function openFolder(
  walk: Walk,
  base: string,
  above: IgnoreRules | undefined,
): Promise<Folder> {
  const none = { entries: [], more: false };
  const { entries, more } = await readFolder(walk.workspace, base).catch(() => none);
  if (more) {
    walk.onProblem(`Only the first ${entries.length} names of ${base || "./"} were looked at.`);
  }
  const hasRules = more || entries.some(({ name }) => name === rulesFile);
  const rules = hasRules ? await readRules(walk, base, above) : above;
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { base, entries, next: 0, rules: rules ?? new IgnoreRules("", "") };
}

async function readRules(
  { workspace, onProblem }: Walk,
  base: string,
  above: IgnoreRules | undefined,
): Promise<IgnoreRules | undefined> {
  const path = base + rulesFile;
  const unused = (why: string) => onProblem(`The rules of ${path} were not all used: ${why}.`);
  try {
    const file = await readWhole(workspace, path, largestRules);
    if (file === undefined) {
      return above;
    }
    const rules = new IgnoreRules(base, file.bytes.toString("utf8"), above);
    if (rules.problem !== undefined) {
      unused(rules.problem);
    }
    return rules;
  } catch (error) {
    // Anything else than a refusal is a file that went away or can't be read, as for git.
    if (error instanceof RefusalError) {
      unused(error.message.replace(/\.$/, ""));
    }
    return above;
  }
}
