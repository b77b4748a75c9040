import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** @param {number} pid */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to somebody else.
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}

/**
 * Holds a lock file while the work runs, so that two commands in one clone (a start and a test
 * run, say) do not install or build over each other. The lock of a dead process is taken over.
 * @template T
 * @param {string} path
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, work) {
  await mkdir(dirname(path), { recursive: true });
  while (!(await tryLock(path))) {
    await sleep(100);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

/**
 * The file appears with its content in one step (a hard link), so it is never seen empty.
 * @param {string} path
 */
async function tryLock(path) {
  const mine = `${path}.${process.pid}`;
  await writeFile(mine, String(process.pid));
  try {
    await link(mine, path);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST") {
      throw error;
    }
  } finally {
    await rm(mine, { force: true });
  }
  const holder = Number(await readFile(path, "utf8").catch(() => 0));
  if (holder > 0 && !isAlive(holder)) {
    await rm(path, { force: true });
  }
  return false;
}
