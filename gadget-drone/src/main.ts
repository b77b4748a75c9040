import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import { DroneProcess } from "./drone-process.ts";
import {
  type Credential,
  readCredential,
  removeCredential,
  writeCredential,
} from "./link/credential.ts";
import { enroll, takeCode } from "./link/enroll.ts";
import { type FromLauncher, openLauncherChannel } from "./link/launcher-channel.ts";
import { Problem } from "./problem.ts";
import { checkServer, readSettings, type Settings } from "./settings.ts";

const version = process.env.GADGET_VERSION ?? "0.0.0";
const drainMs = 25_000;
const enrolAgainMs = 2_000;
/** To the launcher: starting again would not help. */
const exitDoNotRestart = 78;

async function main(): Promise<void> {
  const settings = readSettings(process.argv.slice(2), process.env, version);
  if (settings === undefined) {
    return;
  }
  if (settings.underLauncher && process.send !== undefined) {
    await runUnderLauncher(settings);
  } else {
    await runAlone(settings);
  }
}

function createLog(settings: Settings) {
  return pino({ level: settings.logLevel, base: { part: "drone" } }, pino.destination(2));
}

/** From the command line: enrols once, then stays connected until it is told to stop. */
async function runAlone(settings: Settings): Promise<void> {
  const stored = await readCredential(settings.dataDir);
  const server = settings.server ?? stored?.server;
  if (server === undefined) {
    throw new Problem("Say where the server is: --server URL.");
  }
  checkServer(server, settings.insecure);
  const credential = await credentialFor(settings, server, stored);
  let announced = false;
  const alive = join(settings.dataDir, "online");
  const onBeat = () => void writeFile(alive, "").catch(() => {});
  const drone = await DroneProcess.create({
    settings,
    version,
    log: createLog(settings),
    onOnline: () => {
      if (!announced) {
        process.stdout.write(`The drone "${settings.name}" is online: ${server}\n`);
      }
      announced = true;
      onBeat();
    },
    onBeat,
    onRefused: ({ message }) => fail(new Problem(`The server refuses this drone: ${message}`)),
  });
  drone.connect(server, credential);
  stopOnSignals(drone);
}

async function credentialFor(
  settings: Settings,
  server: string,
  stored: Credential | undefined,
): Promise<Credential> {
  const { enroll: given, enrollFile, name, host, dataDir, proxy } = settings;
  if (stored !== undefined && given === undefined) {
    if (stored.server !== server) {
      await writeCredential(dataDir, { ...stored, server });
    }
    return stored;
  }
  const code = given ?? (enrollFile === undefined ? undefined : await takeCode(enrollFile));
  if (code === undefined) {
    throw new Problem(
      "This drone is not enrolled yet: get a code from the server, then --enroll CODE.",
    );
  }
  const credential = await enroll({ server, code, name, host, proxy });
  await writeCredential(dataDir, credential);
  return credential;
}

/** TERM lets the turns come to their end; a second INT does not wait. */
function stopOnSignals(drone: DroneProcess): void {
  let asked = 0;
  const onSignal = (name: "SIGTERM" | "SIGINT") => {
    asked += 1;
    if (asked > 1) {
      if (name === "SIGINT") {
        void drone.stop().finally(() => process.exit(130));
      }
      return;
    }
    if (drone.running > 0) {
      const how = "press Ctrl-C again to end them at once";
      process.stderr.write(`Waiting for ${drone.running} running turns; ${how}.\n`);
    }
    void drone.drain(drainMs).finally(() => process.exit(0));
  };
  process.on("SIGTERM", () => onSignal("SIGTERM"));
  process.on("SIGINT", () => onSignal("SIGINT"));
}

/** As the local drone of `npm start`: code, server and stop come from the launcher. */
async function runUnderLauncher(settings: Settings): Promise<void> {
  const early: FromLauncher[] = [];
  let handle = (message: FromLauncher): void => void early.push(message);
  const channel = openLauncherChannel(
    (message) => handle(message),
    // The launcher is gone: nobody would stop what runs here.
    () => void stop(0),
  );
  let drone: DroneProcess | undefined;
  const stop = async (code: number) => {
    await drone?.stop();
    process.exit(code);
  };
  // Signals of a terminal are the launcher's to handle.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => void stop(0));
  let credential = await readCredential(settings.dataDir);
  drone = await DroneProcess.create({
    settings,
    version,
    log: createLog(settings),
    onOnline: () => channel.send({ type: "online" }),
    onRefused: (refusal) => {
      if (refusal.code === "protocol") {
        process.stderr.write(`${refusal.message}\n`);
        void stop(exitDoNotRestart);
        return;
      }
      credential = undefined;
      void removeCredential(settings.dataDir).then(() => channel.send({ type: "need-enrollment" }));
    },
  });
  const running = drone;
  handle = (message) => {
    if (message.type === "stop") {
      void stop(0);
    } else if (message.type === "server") {
      if (credential !== undefined) {
        running.connect(message.url, credential);
      }
    } else {
      const { server, code } = message;
      const { name, host, dataDir, proxy } = settings;
      enroll({ server, code, name, host, proxy })
        .then(async (got) => {
          credential = got;
          await writeCredential(dataDir, got);
          running.connect(server, got);
        })
        .catch((error: unknown) => {
          process.stderr.write(`${sentenceOf(error)}\n`);
          // Codes work once: the next try needs another one.
          setTimeout(() => channel.send({ type: "need-enrollment" }), enrolAgainMs);
        });
    }
  };
  if (credential === undefined) {
    channel.send({ type: "need-enrollment" });
  }
  for (const message of early.splice(0)) {
    handle(message);
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof Problem ? error.message : `The drone failed: ${String(error)}`;
}

function fail(error: unknown): void {
  process.stderr.write(`${sentenceOf(error)}\n`);
  const hopeless = error instanceof Problem && process.send !== undefined;
  process.exit(hopeless ? exitDoNotRestart : 1);
}

main().catch(fail);
