import { open, rename, rm, stat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { createEnrollment } from "./drones/enroll.ts";
import type { Models } from "./models/models.ts";
import type { StoredUser } from "./models/user.ts";

const lookMs = 500;

export interface EnrollFileOptions {
  file: string;
  models: Models;
  now: () => Date;
  log: Logger;
  signal: AbortSignal;
}

/**
 * Compose's way to enrol its drone. The drone leaves `FILE.wanted` in a folder that only it and the
 * web nodes share; a node answers with a one-time code in `FILE`, mode 0600. The wish is taken by
 * renaming it, so of several nodes one answers. Before there is an owner it stays where it is.
 */
export async function serveEnrollFile(options: EnrollFileOptions): Promise<void> {
  const { file, log, signal } = options;
  const wish = `${file}.wanted`;
  let failing = false;
  while (!signal.aborted) {
    try {
      if (await exists(wish)) {
        await answer(options, wish);
      }
      failing = false;
    } catch (error) {
      if (!failing) {
        log.error({ err: error, file }, "no code could be written for the drone");
      }
      failing = true;
    }
    await delay(lookMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

async function answer({ file, models, now, log }: EnrollFileOptions, wish: string): Promise<void> {
  const owner = await models.users
    .findOne({ role: "owner" })
    .sort({ createdAt: 1 })
    .lean<StoredUser>();
  if (owner === null) {
    return;
  }
  const draft = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  try {
    await rename(wish, draft);
  } catch (error) {
    if (isMissing(error)) {
      return;
    }
    throw error;
  }
  try {
    const { code } = await createEnrollment(models, owner._id, now());
    await rm(draft);
    const written = await open(draft, "wx", 0o600);
    await written.writeFile(`${code}\n`);
    await written.close();
    await rename(draft, file);
    log.info({ file }, "a drone that shares this folder was given a code");
  } finally {
    await rm(draft, { force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) {
      return false;
    }
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
