import { lstat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { RefusalError } from "@gadget/api";
import { isInside } from "./safe-path.ts";

/** Some file systems don't tell these apart: `.GIT`, `.git.`. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[. ]+$/, "");
}

/**
 * Refuses places whose content could run code later without anybody having asked for it: `.git`
 * and `.gadget`, and every folder that git would take for a repository whatever its name is, now or
 * with this file in it. `real` is a real path: links have been followed.
 */
export async function checkWritable(folder: string, real: string): Promise<void> {
  const names = relative(folder, real).split(sep).map(plainName);
  if (names.includes(".gadget")) {
    throw refusal(".gadget");
  }
  if (real.split(sep).map(plainName).includes(".git")) {
    throw refusal(".git");
  }
  for (let at = dirname(real); isInside(folder, at); at = dirname(at)) {
    if (await isRepository(at, real)) {
      throw refusal(`a git repository (${relative(folder, at)})`);
    }
    if (at === folder) {
      return;
    }
  }
}

function refusal(where: string): RefusalError {
  return new RefusalError("invalid", `Files in ${where} can't be written by this tool.`);
}

/** By what git looks for: HEAD, and objects and refs of its own or of another repository. */
async function isRepository(folder: string, written: string): Promise<boolean> {
  const [first = ""] = relative(folder, written).split(sep);
  const has = async (name: string) =>
    first.toLowerCase() === name.toLowerCase() || (await isThere(join(folder, name)));
  if (!(await has("HEAD"))) {
    return false;
  }
  return (await has("commondir")) || ((await has("objects")) && (await has("refs")));
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
