import { randomBytes } from "node:crypto";
import { lstat, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const prefix = ".gadget-write-";

/** Whether a name is that of a file which a write has made aside; nobody else is shown those. */
export function isAside(name: string): boolean {
  return name.startsWith(prefix) && /^[0-9a-f]{12}$/.test(name.slice(prefix.length));
}

/** The same as a pattern for programs that take globs. */
export const asideGlob = `${prefix}${"[0-9a-f]".repeat(12)}`;

/**
 * The files that writes make aside before they take the place of others. Each is written down in
 * the data folder before it is made, so that what a killed drone left is found without a search and
 * nothing else is ever removed.
 */
export class AsideFiles {
  readonly #folder: string;

  constructor(dataDir: string) {
    this.#folder = join(dataDir, "writes");
  }

  /** A name for a new file in the folder; `forget` when it is gone from there. */
  async name(folder: string): Promise<{ name: string; forget: () => Promise<void> }> {
    const id = randomBytes(6).toString("hex");
    const note = join(this.#folder, id);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(note, folder, { mode: 0o600 });
    return { name: prefix + id, forget: () => rm(note, { force: true }) };
  }

  /** Removes what an earlier process left. A folder that can't be reached now is tried again. */
  async sweep(): Promise<void> {
    for (const id of await readdir(this.#folder).catch(() => [])) {
      const note = join(this.#folder, id);
      const folder = await readFile(note, "utf8").catch(() => "");
      // A note that was cut off was written before its file was made.
      const reached = folder === "" || (await isThere(folder));
      if (!reached) {
        continue;
      }
      if (folder !== "" && isAside(prefix + id)) {
        await rm(join(folder, prefix + id), { force: true });
      }
      await rm(note, { force: true });
    }
  }
}

async function isThere(folder: string): Promise<boolean> {
  return (await lstat(folder).catch(() => undefined)) !== undefined;
}
