import { spawn } from "node:child_process";

/**
 * Every command that these scripts start leads its own process group, so that an interrupted
 * script can end the commands with all their children instead of leaving them behind.
 * @type {Set<number>}
 */
const groups = new Set();
const exitCodes = /** @type {const} */ ({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 });
const signals = /** @type {(keyof typeof exitCodes)[]} */ (Object.keys(exitCodes));

/** @type {number | undefined} */
let interruptedWith;

/** @param {keyof typeof exitCodes} signal */
function onSignal(signal) {
  interruptedWith ??= exitCodes[signal];
  for (const pid of groups) {
    killGroup(pid, "SIGTERM");
  }
  setTimeout(() => process.exit(interruptedWith), 1000);
}

function onExit() {
  for (const pid of groups) {
    killGroup(pid, "SIGKILL");
  }
}

/** @param {number} pid */
function addGroup(pid) {
  if (groups.size === 0) {
    process.on("exit", onExit);
    for (const signal of signals) {
      process.on(signal, onSignal);
    }
  }
  groups.add(pid);
}

/** @param {number} pid */
function removeGroup(pid) {
  // A leader that ended may have left members of its group behind.
  killGroup(pid, "SIGKILL");
  groups.delete(pid);
  if (groups.size > 0) {
    return;
  }
  if (interruptedWith !== undefined) {
    process.exit(interruptedWith);
  }
  process.off("exit", onExit);
  for (const signal of signals) {
    process.off(signal, onSignal);
  }
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
export function killGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone already.
  }
}

/**
 * @typedef {object} CommandResult
 * @property {number} code exit code; 128 and more when it was killed
 * @property {string} output what it wrote, both streams in the order of arrival
 * @property {string} stdout
 */

/**
 * Runs a command to its end and keeps what it wrote.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, show?: NodeJS.WritableStream }} [options]
 * @returns {Promise<CommandResult>}
 */
export function runCommand(command, args, options = {}) {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const { pid } = child;
  if (pid !== undefined) {
    addGroup(pid);
  }
  return new Promise((resolve, reject) => {
    let output = "";
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
      output += text;
      stdout += text;
      options.show?.write(text);
    });
    child.stderr.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
      output += text;
      options.show?.write(text);
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (pid !== undefined) {
        removeGroup(pid);
      }
      // An interrupted script reports nothing any more: it only waits for the others to end.
      if (interruptedWith === undefined) {
        resolve({ code: code ?? (signal === null ? 1 : 143), output, stdout });
      }
    });
  });
}
