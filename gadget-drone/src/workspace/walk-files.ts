import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { IgnoreRules } from "./ignore-rules.ts";

/**
 * The files below a folder of the workspace that git would not ignore, relative to the workspace,
 * in order. Links are not followed.
 */
export async function* walkFiles(
  workspace: string,
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield* walk(
    workspace,
    folder === "" ? "" : `${folder}/`,
    await rulesAbove(workspace, folder),
    signal,
  );
}

async function rulesAbove(workspace: string, folder: string): Promise<IgnoreRules | undefined> {
  let rules: IgnoreRules | undefined;
  const names = folder === "" ? [] : folder.split("/");
  for (let depth = 0; depth < names.length; depth++) {
    const base = names
      .slice(0, depth)
      .map((name) => `${name}/`)
      .join("");
    rules = await withFileOf(workspace, base, rules);
  }
  return rules;
}

async function withFileOf(
  workspace: string,
  base: string,
  above: IgnoreRules | undefined,
): Promise<IgnoreRules> {
  const text = await readFile(join(workspace, base, ".gitignore"), "utf8").catch(() => "");
  if (text === "" && above !== undefined) return above;
  return new IgnoreRules(base, text, above);
}

async function* walk(
  workspace: string,
  base: string,
  above: IgnoreRules | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  signal.throwIfAborted();
  const rules = await withFileOf(workspace, base, above);
  const entries = await readdir(join(workspace, base), { withFileTypes: true }).catch(() => []);
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = base + entry.name;
    if (rules.ignores(path, entry.isDirectory())) continue;
    if (entry.isDirectory()) yield* walk(workspace, `${path}/`, rules, signal);
    else if (entry.isFile()) yield path;
  }
}
