import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive } from "../build/with-lock.mjs";

/**
 * `launcher.json` in the data folder tells a second `npm start` that one is running, and where.
 * @typedef {{ pid: number, url?: string, localUrl?: string }} Running
 */

/** @param {string} dataDir */
const pathIn = (dataDir) => join(dataDir, "launcher.json");

/**
 * Makes this process the data folder's launcher, or finds the one that is. One that is just
 * starting is waited for. What a killed launcher left behind is recognised by its dead process,
 * or, should the number have been given to another process since, by the health check.
 * @param {string} dataDir
 * @param {{ startingMs?: number, unhealthyMs?: number }} [options] how long another launcher may
 *   take to start, and how long its server may be down
 * @returns {Promise<string | undefined>} the URL of the one that runs; undefined: it is this one
 */
export async function claimDataDir(dataDir, options = {}) {
  const { startingMs = 20_000, unhealthyMs = 2000 } = options;
  const startedAt = performance.now();
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  while (true) {
    const running = await readRunning(dataDir);
    const patience = running?.url === undefined ? startingMs : unhealthyMs;
    const waited = performance.now() - startedAt;
    if (running === undefined || !isAlive(running.pid) || waited > patience) {
      await rm(pathIn(dataDir), { force: true });
      if (await create(dataDir, { pid: process.pid })) {
        return undefined;
      }
    } else {
      const { url, localUrl = url } = running;
      if (localUrl !== undefined && (await isHealthy(localUrl))) {
        return url;
      }
      await sleep(50);
    }
  }
}

/**
 * @param {string} dataDir
 * @param {Running} running
 */
async function create(dataDir, running) {
  const mine = `${pathIn(dataDir)}.${process.pid}`;
  await writeFile(mine, `${JSON.stringify(running)}\n`, { mode: 0o600 });
  try {
    await link(mine, pathIn(dataDir));
    return true;
  } catch {
    return false;
  } finally {
    await rm(mine, { force: true });
  }
}

/**
 * @param {string} dataDir
 * @param {Running} running
 */
export async function writeRunning(dataDir, running) {
  const mine = `${pathIn(dataDir)}.${process.pid}`;
  await writeFile(mine, `${JSON.stringify(running)}\n`, { mode: 0o600 });
  await rename(mine, pathIn(dataDir));
}

/**
 * Removes the file if it is still this process's.
 * @param {string} dataDir
 */
export async function removeRunning(dataDir) {
  const running = await readRunning(dataDir);
  if (running?.pid === process.pid) {
    await rm(pathIn(dataDir), { force: true });
  }
}

/**
 * @param {string} dataDir
 * @returns {Promise<Running | undefined>}
 */
async function readRunning(dataDir) {
  try {
    const running = JSON.parse(await readFile(pathIn(dataDir), "utf8"));
    return typeof running?.pid === "number" ? running : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} url */
async function isHealthy(url) {
  try {
    const response = await fetch(new URL("/healthz", url), { signal: AbortSignal.timeout(2000) });
    return response.ok;
  } catch {
    return false;
  }
}
