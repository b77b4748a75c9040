import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { type FolderEntry, RefusalError } from "@gadget/api";
import { isAside } from "../workspace/aside-files.ts";
import { readFolder } from "../workspace/read-folder.ts";
import { hasCode } from "../workspace/safe-path.ts";

const mostEntries = 5_000;

/** What is at `path` of a folder, whose name is told as `asked`; at most 5,000, folders first. */
export async function folderEntries(
  root: string,
  path: string,
  asked: string,
  wants: (entry: FolderEntry) => boolean = () => true,
): Promise<FolderEntry[]> {
  const { entries } = await readFolder(root, path).catch((error: unknown) => {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) {
      throw new RefusalError("not_found", `"${asked}" is not a folder on the drone.`);
    }
    if (hasCode(error, "EACCES")) {
      throw new RefusalError("invalid", `"${asked}" can't be read.`);
    }
    throw error;
  });
  const listed = entries
    .filter(({ name }) => !isAside(name))
    .map((entry): FolderEntry => {
      const kind = entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : "file";
      return { name: entry.name, path: join(root, path, entry.name), kind };
    })
    .filter(wants)
    .sort((a, b) => order(a) - order(b) || (a.name < b.name ? -1 : 1))
    .slice(0, mostEntries);
  for (const entry of listed) {
    const size =
      entry.kind === "file" ? (await lstat(entry.path).catch(() => undefined))?.size : undefined;
    if (size !== undefined) {
      entry.size = size;
    }
  }
  return listed;
}

function order({ kind }: FolderEntry): number {
  return kind === "folder" ? 0 : 1;
}
