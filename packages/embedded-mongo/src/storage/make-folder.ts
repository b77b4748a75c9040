import { mkdirSync, statSync } from "node:fs";

/** Makes the data folder, readable by its user only. What is wrong with it is said in a sentence. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (statSync(folder).isDirectory()) {
      return;
    }
  } catch (error) {
    throw new Error(sentence(folder, error), { cause: error });
  }
}

function sentence(folder: string, error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EEXIST" || code === "ENOTDIR") {
    return `${folder} is a file or lies in one: give a folder for the data.`;
  }
  const reasons = new Map<unknown, string>([
    ["EROFS", "its disk can only be read"],
    // What Node says of a folder that is new on such a disk.
    ["ENOENT", "its disk can only be read, or has no such place"],
    ["EACCES", "there is no permission"],
    ["EPERM", "there is no permission"],
    ["ENOSPC", "the disk is full"],
  ]);
  return `The data folder ${folder} can't be made: ${reasons.get(code) ?? String(code)}. Give another folder, or mend that.`;
}
