import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Problem, runMain } from "../shared/problem.mjs";
import { duration } from "../shared/progress.mjs";
import { root } from "../shared/root.mjs";

const readyWithinMs = 300_000;
const stopWithinMs = 5000;

// `npm start` as a newcomer runs it, with an empty data folder: it says where it is, answers
// there, and Ctrl-C ends all of it in time.
await runMain(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "gadget-smoke-"));
  const startedAt = performance.now();
  const npm = spawn("npm", ["start"], {
    cwd: root,
    env: { ...process.env, GADGET_DATA_DIR: dataDir, GADGET_PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const ended = new Promise((resolve) => npm.once("close", resolve));
  try {
    const url = await readyUrl(npm.stdout, ended);
    process.stdout.write(`ready in ${duration(performance.now() - startedAt)}: ${url}\n`);
    const health = await fetch(new URL("/healthz", url));
    if (!health.ok) {
      throw new Problem(`/healthz answered ${health.status}.`);
    }
    const page = await (await fetch(url)).text();
    if (!page.includes("<script")) {
      throw new Problem("The page has no script.");
    }
    const stoppedAt = performance.now();
    process.kill(-(npm.pid ?? 0), "SIGINT");
    await withTimeout(ended, stopWithinMs, "It did not stop within 5 s of Ctrl-C.");
    process.stdout.write(`stopped in ${duration(performance.now() - stoppedAt)}\n`);
    const left = await fetch(new URL("/healthz", url)).catch(() => undefined);
    if (left !== undefined) {
      throw new Problem("The server still answers after Ctrl-C.");
    }
  } finally {
    if (npm.exitCode === null && npm.signalCode === null) {
      process.kill(-(npm.pid ?? 0), "SIGKILL");
    }
    await rm(dataDir, { recursive: true, force: true });
  }
});

/**
 * @param {import("node:stream").Readable} output
 * @param {Promise<unknown>} ended
 */
async function readyUrl(output, ended) {
  let text = "";
  /** @type {Promise<string>} */
  const ready = new Promise((resolve, reject) => {
    output.setEncoding("utf8").on("data", (part) => {
      text += part;
      const url = /Gadget Code is ready: (\S+)/.exec(text)?.[1];
      if (url !== undefined) {
        resolve(url);
      }
    });
    void ended.then(() => reject(new Problem(`npm start ended early:\n${text}`)));
  });
  return withTimeout(ready, readyWithinMs, "npm start did not become ready.");
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {number} ms
 * @param {string} sentence
 * @returns {Promise<T>}
 */
async function withTimeout(promise, ms, sentence) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Problem(sentence)), ms);
  });
  try {
    return await Promise.race([promise, /** @type {Promise<T>} */ (late)]);
  } finally {
    clearTimeout(timer);
  }
}
