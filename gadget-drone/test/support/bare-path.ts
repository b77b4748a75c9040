import { readdir, symlink } from "node:fs/promises";
import { join } from "node:path";

/** Fills an empty folder with all programs of this machine but the named: a PATH for a drone. */
export async function barePath(folder: string, ...names: string[]): Promise<string> {
  for (const programs of ["/usr/local/bin", "/usr/bin", "/bin"]) {
    for (const name of await readdir(programs).catch(() => [])) {
      if (!names.includes(name)) {
        await symlink(join(programs, name), join(folder, name)).catch(() => {});
      }
    }
  }
  return folder;
}
