import { readdir, readFile, readlink } from "node:fs/promises";

/**
 * All living processes that belong to a folder: they work in it, or name it on their command line
 * or in their environment. Made for a unique temporary folder, it sees what any scan of parents,
 * groups or cookies would miss.
 */
export async function census(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const read = (name: string) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => "");
    const command = (await read("cmdline")).replaceAll("\0", " ").trim();
    const isSupervisor = command.startsWith("gadget-supervisor");
    const named = command.includes(folder) || (await read("environ")).includes(folder);
    const state = (await read("stat")).split(") ")[1]?.[0];
    if ((cwd.startsWith(folder) || (named && !isSupervisor)) && state && state !== "Z") {
      found.push(`${pid} ${state} ${command}`);
    }
  }
  return found;
}
