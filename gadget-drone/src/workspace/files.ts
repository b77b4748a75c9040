import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { RefusalError } from "@gadget/api";
import type { AsideFiles } from "./aside-files.ts";
import { checkWritable } from "./check-writable.ts";
import { hasCode, isInside, safePath } from "./safe-path.ts";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

export interface FileContent {
  bytes: Buffer;
  mode: number;
}

/** The file's bytes, or undefined where there is none. */
export async function readWhole(
  folder: string,
  path: string,
  limitBytes: number,
): Promise<FileContent | undefined> {
  const real = await safePath(folder, path);
  const file = await openFile(real, path);
  if (file === undefined) {
    return undefined;
  }
  try {
    await checkOpened(folder, file, path);
    const { size, mode } = await file.stat();
    if (size > limitBytes) {
      throw new RefusalError(
        "too_large",
        `"${path}" has ${size} bytes; ${limitBytes} can be read.`,
      );
    }
    return { bytes: await readBytes(file, size), mode: mode & 0o777 };
  } finally {
    await file.close();
  }
}

/** As many as the file had when it was looked at: one that grows meanwhile has no end. */
async function readBytes(file: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await file.read(bytes, filled, size - filled, filled);
    if (bytesRead === 0) {
      break;
    }
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

async function openFile(real: string, path: string): Promise<FileHandle | undefined> {
  try {
    // Without O_NONBLOCK a pipe without a writer would hold us for ever.
    const file = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stat = await file.stat();
    if (stat.isFile()) {
      return file;
    }
    await file.close();
    const kind = stat.isDirectory() ? "a folder" : "no ordinary file";
    throw new RefusalError("invalid", `"${path}" is ${kind}.`);
  } catch (error) {
    if (hasCode(error, "ENOENT")) {
      return undefined;
    }
    if (hasCode(error, "EACCES")) {
      throw new RefusalError("invalid", `"${path}" can't be read.`);
    }
    throw error;
  }
}

/** A folder may have been swapped for a link between the check and the opening; gives where it is. */
export async function checkOpened(
  folder: string,
  file: FileHandle,
  path: string,
): Promise<string | undefined> {
  if (process.platform !== "linux") {
    return undefined;
  }
  const opened = await realpath(`/proc/self/fd/${file.fd}`).catch(() => folder);
  if (!isInside(folder, opened)) {
    throw new RefusalError("invalid", `"${path}" was moved meanwhile.`);
  }
  return opened;
}

/**
 * Replaces the file as a whole (rule A21): at any moment there is the old one or the new one.
 * Makes the folders that it needs.
 */
export async function writeWhole(
  folder: string,
  path: string,
  content: { bytes: Buffer | string; mode?: number | undefined },
  asides: AsideFiles,
): Promise<void> {
  const real = await safePath(folder, path);
  if (real === folder) {
    throw new RefusalError("invalid", "That is the workspace itself.");
  }
  await checkWritable(folder, real);
  await makeFolders(folder, dirname(real), path);
  await inFolder(folder, real, path, async (parent) => {
    const target = join(parent, basename(real));
    const existing = await lstat(target).catch(() => undefined);
    if (existing?.isDirectory()) {
      throw new RefusalError("invalid", `"${path}" is a folder.`);
    }
    const mode = content.mode ?? (existing?.isFile() ? existing.mode & 0o777 : 0o644);
    const { name, forget } = await asides.name(dirname(real));
    const aside = join(parent, name);
    try {
      const file = await open(aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
      try {
        await file.writeFile(content.bytes);
        await file.chmod(mode);
      } finally {
        await file.close();
      }
      await rename(aside, target);
    } catch (error) {
      await rm(aside, { force: true });
      throw error;
    } finally {
      await forget();
    }
  });
}

export async function removeFile(folder: string, path: string): Promise<void> {
  const real = await safePath(folder, path);
  if (real === folder) {
    throw new RefusalError("invalid", "That is the workspace itself.");
  }
  await checkWritable(folder, real);
  await inFolder(folder, real, path, (parent) => rm(join(parent, basename(real)), { force: true }));
}

async function makeFolders(folder: string, parent: string, path: string): Promise<void> {
  try {
    if (process.platform === "linux") {
      await makeBelow(folder, relative(folder, parent));
    } else {
      await mkdir(parent, { recursive: true });
    }
  } catch (error) {
    if (["ENOTDIR", "EEXIST", "ELOOP"].some((code) => hasCode(error, code))) {
      throw new RefusalError("invalid", `A part of "${path}" is a file, not a folder.`);
    }
    if (hasCode(error, "EACCES") || hasCode(error, "EROFS")) {
      throw new RefusalError("invalid", `"${path}" can't be written: no permission.`);
    }
    throw error;
  }
}

/** Each folder is made in the opened one above it: none of them may become a link meanwhile. */
async function makeBelow(folder: string, way: string): Promise<void> {
  let above = await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    for (const name of way === "" ? [] : way.split(sep)) {
      const place = `/proc/self/fd/${above.fd}/${name}`;
      await mkdir(place).catch((error: unknown) => {
        if (!hasCode(error, "EEXIST")) {
          throw error;
        }
      });
      const next = await open(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      await above.close();
      above = next;
    }
  } finally {
    await above.close();
  }
}

/**
 * Works on an opened folder, so that what was checked is what is written: on Linux names are
 * looked up in the open folder itself, whatever its path has become meanwhile.
 */
async function inFolder(
  folder: string,
  real: string,
  path: string,
  work: (parent: string) => Promise<void>,
): Promise<void> {
  const parent = dirname(real);
  const opened = await open(parent, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    const now = await checkOpened(folder, opened, path);
    if (now !== undefined && now !== parent) {
      await checkWritable(folder, join(now, basename(real)));
    }
    await work(process.platform === "linux" ? `/proc/self/fd/${opened.fd}` : parent);
  } catch (error) {
    if (hasCode(error, "EACCES") || hasCode(error, "EROFS")) {
      throw new RefusalError("invalid", `"${path}" can't be written: no permission.`);
    }
    throw error;
  } finally {
    await opened.close();
  }
}
