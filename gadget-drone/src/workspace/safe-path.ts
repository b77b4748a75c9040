import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { RefusalError } from "@gadget/api";

/** Whether `path` is `folder` or below it. Both must be real: no links, no dots. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/**
 * The real path of something that may not exist yet: links are followed as far as the path exists,
 * so that no link can lead a new file elsewhere.
 */
async function realPathOf(path: string): Promise<string> {
  const missing: string[] = [];
  let existing = path;
  for (;;) {
    try {
      return join(await realpath(existing), ...missing);
    } catch (error) {
      if (!hasCode(error, "ENOENT") || dirname(existing) === existing) {
        throw error;
      }
      // A link that leads to nothing: writing through it would make a file at its other end.
      if (await isLink(existing)) {
        throw new RefusalError("invalid", `"${path}" is a broken link.`);
      }
      missing.unshift(basename(existing));
      existing = dirname(existing);
    }
  }
}

async function isLink(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isSymbolicLink() === true;
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/**
 * Turns a path that the model or a person wrote into a real, absolute path inside the folder, or
 * refuses it. `folder` is real itself. Everything that touches a workspace's files comes through
 * here.
 */
export async function safePath(folder: string, path: string): Promise<string> {
  if (path.includes("\0")) {
    throw new RefusalError("invalid", "A path can't hold a NUL character.");
  }
  const outside = () =>
    new RefusalError("invalid", `"${path}" is outside of the workspace. Use a path inside of it.`);
  const absolute = resolve(folder, path);
  // Checked before the disk is asked, so that nothing outside can be probed.
  if (!isInside(folder, absolute)) {
    throw outside();
  }
  let real: string;
  try {
    real = await realPathOf(absolute);
  } catch (error) {
    if (hasCode(error, "ELOOP")) {
      throw new RefusalError("invalid", `"${path}" is a loop of links.`);
    }
    if (hasCode(error, "ENOTDIR")) {
      throw new RefusalError("invalid", `A part of "${path}" is a file, not a folder.`);
    }
    if (hasCode(error, "EACCES")) {
      throw new RefusalError("invalid", `"${path}" can't be read.`);
    }
    if (hasCode(error, "ENAMETOOLONG")) {
      throw new RefusalError("invalid", "The path is too long.");
    }
    throw error;
  }
  if (!isInside(folder, real)) {
    throw outside();
  }
  return real;
}
