import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A socket's path ends at 104 bytes on macOS and at 108 on Linux. */
const maxSocketPath = 103;
const socketName = "mongo.sock";
const folderPrefix = "gadget-";

/** A new folder, which mkdtemp makes for its owner alone (0700), short enough for a socket. */
export async function makeRuntimeFolder(): Promise<string> {
  const bases = [process.env["XDG_RUNTIME_DIR"], tmpdir(), "/tmp"];
  for (const base of bases) {
    if (
      base === undefined ||
      base === "" ||
      socketIn(join(base, `${folderPrefix}XXXXXX`)).length > maxSocketPath
    ) {
      continue;
    }
    try {
      return await mkdtemp(join(base, folderPrefix));
    } catch {
      // Not there or not writable: the next one.
    }
  }
  throw new Error("There is no folder for the database's socket: set TMPDIR to a short path.");
}

export function socketIn(folder: string): string {
  return join(folder, socketName);
}

/** Removes the runtime folder of a process that was killed. Only what looks like one. */
export async function removeRuntimeFolder(folder: string): Promise<void> {
  if (!/[/\\]gadget-[^/\\]{6}$/.test(folder)) {
    return;
  }
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() === true) {
    await rm(folder, { recursive: true, force: true });
  }
}
