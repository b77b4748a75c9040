import { constants, type Dirent } from "node:fs";
import { open, opendir } from "node:fs/promises";
import { join } from "node:path";
import { checkOpened } from "./files.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
const mostEntries = 20_000;

export interface FolderContent {
  entries: Dirent[];
  /** There are more than were read. */
  more: boolean;
}

/**
 * What is in a folder of the workspace, at most 20,000 names. On Linux the folder that was checked
 * is the one that is read, whatever its path has become meanwhile.
 */
export async function readFolder(workspace: string, path: string): Promise<FolderContent> {
  const real = join(workspace, path);
  const opened = await open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    await checkOpened(workspace, opened, path);
    const place = process.platform === "linux" ? `/proc/self/fd/${opened.fd}` : real;
    const entries: Dirent[] = [];
    // The iterator closes the folder, also when it is left early.
    for await (const entry of await opendir(place, { bufferSize: 256 })) {
      if (entries.length === mostEntries) {
        return { entries, more: true };
      }
      entries.push(entry);
    }
    return { entries, more: false };
  } finally {
    await opened.close();
  }
}
