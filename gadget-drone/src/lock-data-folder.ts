import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Problem } from "./problem.ts";

/**
 * Keeps a second drone out of the data folder: it would take the first one's unsent events for the
 * tail of a dead process. A lock whose process is gone counts for nothing.
 */
export async function lockDataFolder(dataDir: string): Promise<() => Promise<void>> {
  const path = join(dataDir, "drone.lock");
  const own = await describe(process.pid);
  for (let tries = 0; tries < 3; tries++) {
    try {
      await writeFile(path, own, { flag: "wx", mode: 0o600 });
      return () => rm(path, { force: true });
    } catch {
      const holder = await readFile(path, "utf8").catch(() => "");
      const pid = Number.parseInt(holder, 10);
      if (pid !== process.pid && holder !== "" && (await describe(pid)) === holder) {
        throw new Problem(
          `A drone with the data folder ${dataDir} is running already (process ${pid}): stop it, or give another --data.`,
        );
      }
      // Moved aside first: of two that find a dead lock only one can move it.
      const aside = `${path}.${process.pid}`;
      await rename(path, aside).catch(() => {});
      await rm(aside, { force: true });
    }
  }
  throw new Problem(`The data folder ${dataDir} can't be locked: check who may write to it.`);
}

/** A process by its id and, where the system tells, its start: ids are used again. */
async function describe(pid: number): Promise<string> {
  if (!Number.isInteger(pid) || pid <= 0) {
    return "";
  }
  try {
    process.kill(pid, 0);
  } catch {
    return "";
  }
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name in brackets may hold anything; the start time is the 20th field after it.
  const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  return `${pid} ${started}`;
}
