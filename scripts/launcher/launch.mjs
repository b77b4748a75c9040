import { Problem } from "../shared/problem.mjs";
import { Child, defaultRestartPolicy } from "./child.mjs";
import { onInterrupt } from "./on-interrupt.mjs";
import { claimDataDir, removeRunning, writeRunning } from "./running.mjs";

const stopWithinMs = 4000;

/**
 * @typedef {object} LaunchOptions
 * @property {string} dataDir
 * @property {import("./child.mjs").ChildSpec} server
 * @property {import("./child.mjs").ChildSpec | undefined} drone
 * @property {import("./child.mjs").RestartPolicy} [restartPolicy]
 */

/**
 * Runs server and drone until a signal, a fatal message or a server that keeps dying ends it.
 * Nothing that it started is left when it resolves. Where the data folder is in use already, it
 * only says where.
 * @param {LaunchOptions} options
 * @returns {Promise<number>} the exit code
 */
export async function launch(options) {
  const { dataDir, server } = options;
  const runningUrl = await claimDataDir(dataDir).catch((error) => {
    throw new Problem(
      `The data folder ${dataDir} can't be used (${error.code}): name another in GADGET_DATA_DIR.`,
    );
  });
  if (runningUrl === undefined) {
    return new Launcher(options).run();
  }
  if (server.firstArgs?.includes("--reset-owner")) {
    throw new Problem(`Gadget Code is running at ${runningUrl}: stop it, then reset its owner.`);
  }
  process.stdout.write(`Gadget Code is already running: ${runningUrl}\n`);
  return 0;
}

class Launcher {
  #dataDir;
  #server;
  #drone;
  /** @type {import("./from-child.mjs").Ready | undefined} */
  #ready;
  #wasReady = false;
  #droneNeedsEnrollment = false;
  /** @type {(exitCode: number) => void} */
  #end = () => {};

  /** @param {LaunchOptions} options */
  constructor({ dataDir, server, drone, restartPolicy = defaultRestartPolicy }) {
    this.#dataDir = dataDir;
    this.#server = new Child(
      server,
      {
        onMessage: (message) => this.#fromServer(message),
        onRestart: (sentence) => {
          this.#ready = undefined;
          warn(sentence);
        },
        onGiveUp: (sentence) => this.#fail(sentence),
      },
      restartPolicy,
    );
    if (drone === undefined) {
      return;
    }
    this.#drone = new Child(
      drone,
      {
        onStart: () => this.#tellDrone(),
        onMessage: (message) => this.#fromDrone(message),
        onRestart: warn,
        // The server is of use without it: other drones may be connected.
        onGiveUp: warn,
      },
      restartPolicy,
    );
  }

  async run() {
    /** @type {Promise<number>} */
    const ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    // A terminal that was closed must not keep us from stopping the children.
    for (const stream of [process.stdout, process.stderr]) {
      stream.on("error", () => {});
    }
    const children = [this.#server, ...(this.#drone === undefined ? [] : [this.#drone])];
    let killed = false;
    const stopListening = onInterrupt({
      first: () => {
        process.stdout.write("Stopping (press Ctrl-C again to kill)...\n");
        this.#end(0);
      },
      second: () => {
        killed = true;
        for (const child of children) {
          child.kill();
        }
      },
    });
    for (const child of children) {
      child.start();
    }
    const exitCode = await ended;
    await Promise.all(children.map((child) => child.stop(stopWithinMs)));
    await removeRunning(this.#dataDir);
    stopListening();
    return killed ? 130 : exitCode;
  }

  /** @param {import("./from-child.mjs").FromChild} message */
  #fromServer(message) {
    if (message.type === "fatal") {
      this.#fail(message.message);
    } else if (message.type === "ready") {
      this.#serverIsReady(message);
    } else if (message.type === "enrollment") {
      this.#droneNeedsEnrollment = false;
      this.#drone?.send({ type: "enroll", server: message.server, code: message.code });
    }
  }

  /** @param {import("./from-child.mjs").FromChild} message */
  #fromDrone(message) {
    if (message.type === "fatal") {
      this.#fail(message.message);
    } else if (message.type === "need-enrollment") {
      this.#droneNeedsEnrollment = true;
      this.#askForEnrollment();
    }
  }

  /** @param {import("./from-child.mjs").Ready} ready */
  #serverIsReady(ready) {
    this.#ready = ready;
    const { url, setupUrl, localUrl } = ready;
    void writeRunning(this.#dataDir, {
      pid: process.pid,
      url,
      ...(localUrl !== undefined && { localUrl }),
    });
    process.stdout.write(`Gadget Code is ${this.#wasReady ? "back" : "ready"}: ${url}\n`);
    if (setupUrl !== undefined && !this.#wasReady) {
      process.stdout.write(
        `It has no owner yet. Open this link to become its owner: ${setupUrl}\n`,
      );
    }
    this.#wasReady = true;
    this.#tellDrone();
    this.#askForEnrollment();
  }

  #tellDrone() {
    if (this.#ready === undefined) {
      return;
    }
    this.#drone?.send({ type: "server", url: this.#ready.localUrl ?? this.#ready.url });
  }

  #askForEnrollment() {
    if (this.#ready !== undefined && this.#droneNeedsEnrollment) {
      this.#server.send({ type: "need-enrollment" });
    }
  }

  /** @param {string} sentence */
  #fail(sentence) {
    warn(sentence);
    this.#end(1);
  }
}

/** @param {string} sentence */
function warn(sentence) {
  process.stderr.write(`${sentence}\n`);
}
