import { spawn } from "node:child_process";
import { killGroup } from "../shared/run-command.mjs";
import { exitDoNotRestart, parseFromChild } from "./from-child.mjs";

/**
 * @typedef {object} ChildSpec
 * @property {string} name as in "The server ended"
 * @property {string} file
 * @property {string[]} args
 * @property {string[]} [firstArgs] only for the first start, not for a restart
 * @property {NodeJS.ProcessEnv} env
 * @property {Record<string, string>} [secrets] more of its environment, given to its standard input
 *
 * @typedef {object} RestartPolicy
 * @property {number} firstDelayMs
 * @property {number} longestDelayMs
 * @property {number} steadyAfterMs a child that lived this long starts again with a clean slate
 * @property {number} tries deaths in a row, each before it was steady, until it is given up
 *
 * @typedef {object} ChildEvents
 * @property {() => void} [onStart] at every start
 * @property {(message: import("./from-child.mjs").FromChild) => void} onMessage
 * @property {(sentence: string) => void} onRestart
 * @property {(sentence: string) => void} onGiveUp
 */

/** @type {RestartPolicy} */
export const defaultRestartPolicy = {
  firstDelayMs: 250,
  longestDelayMs: 5000,
  steadyAfterMs: 10_000,
  tries: 5,
};

/**
 * Keeps one child process running. It leads its own session: a Ctrl-C in the terminal reaches the
 * launcher only, which then asks the child to stop.
 */
export class Child {
  #spec;
  #events;
  #policy;
  /** @type {import("node:child_process").ChildProcess | undefined} */
  #process;
  /** @type {NodeJS.Timeout | undefined} */
  #restart;
  #earlyDeaths = 0;
  #starts = 0;
  #stopping = false;

  /**
   * @param {ChildSpec} spec
   * @param {ChildEvents} events
   * @param {RestartPolicy} policy
   */
  constructor(spec, events, policy) {
    this.#spec = spec;
    this.#events = events;
    this.#policy = policy;
  }

  start() {
    const { file, args, firstArgs = [], env, secrets } = this.#spec;
    const startedAt = performance.now();
    const all = this.#starts === 0 ? [...args, ...firstArgs] : args;
    this.#starts += 1;
    const child = spawn(process.execPath, [file, ...all], {
      env,
      stdio: [secrets === undefined ? "ignore" : "pipe", "inherit", "inherit", "ipc"],
      detached: true,
    });
    this.#process = child;
    // One that has just died reads nothing; its exit says the rest.
    child.stdin?.on("error", () => {}).end(JSON.stringify(secrets));
    this.#events.onStart?.();
    child.on("message", (message) => {
      const parsed = parseFromChild(message);
      if (parsed !== undefined && !this.#stopping) {
        this.#events.onMessage(parsed);
      }
    });
    // A send can fail when the child has just died; its exit says the rest.
    child.on("error", () => {});
    child.on("exit", (code, signal) => {
      this.#process = undefined;
      if (child.pid !== undefined) {
        killGroup(child.pid, "SIGKILL");
      }
      if (!this.#stopping) {
        this.#died(performance.now() - startedAt, code, signal);
      }
    });
  }

  /** @param {object} message one of the launcher's in protocol.mjs; lost when the child is down */
  send(message) {
    if (this.#process?.connected === true) {
      this.#process.send(message, () => {});
    }
  }

  /**
   * Asks the child to stop, and kills it when it has not ended in time.
   * @param {number} withinMs
   * @returns {Promise<void>} when it has ended
   */
  async stop(withinMs) {
    this.#stopping = true;
    clearTimeout(this.#restart);
    const child = this.#process;
    if (child === undefined) {
      return;
    }
    const ended = new Promise((resolve) => child.once("exit", resolve));
    this.send({ type: "stop" });
    const deadline = setTimeout(() => this.kill(), withinMs);
    await ended;
    clearTimeout(deadline);
  }

  kill() {
    this.#stopping = true;
    clearTimeout(this.#restart);
    if (this.#process?.pid !== undefined) {
      killGroup(this.#process.pid, "SIGKILL");
    }
  }

  /**
   * @param {number} livedMs
   * @param {number | null} code
   * @param {NodeJS.Signals | null} signal
   */
  #died(livedMs, code, signal) {
    const how = signal === null ? `exit code ${code}` : signal;
    const { name } = this.#spec;
    this.#earlyDeaths = livedMs < this.#policy.steadyAfterMs ? this.#earlyDeaths + 1 : 1;
    if (code === exitDoNotRestart) {
      this.#events.onGiveUp(`The ${name} cannot start: its messages above say why.`);
    } else if (this.#earlyDeaths >= this.#policy.tries) {
      this.#events.onGiveUp(
        `The ${name} ended ${this.#earlyDeaths} times right after its start (${how}) and is not started again: its messages above say why.`,
      );
    } else {
      const { firstDelayMs, longestDelayMs } = this.#policy;
      const delay = Math.min(firstDelayMs * 2 ** (this.#earlyDeaths - 1), longestDelayMs);
      this.#events.onRestart(`The ${name} ended (${how}) and is started again.`);
      this.#restart = setTimeout(() => this.start(), delay);
    }
  }
}
