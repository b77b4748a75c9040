import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { settingsHelp } from "@gadget/api/settings";
import { pino } from "pino";
import { buildApp } from "./app.ts";
import { checkKey } from "./check-key.ts";
import { type Config, ConfigError, readConfig } from "./config.ts";
import { openDatabase } from "./database.ts";
import { serveEnrollFile } from "./enroll-file.ts";
import { Launcher } from "./launcher.ts";
import { launcherEnvironment } from "./launcher-environment.ts";
import { openBroker } from "./lib/broker.ts";
import { hasOwnName } from "./own-name.ts";
import { isLoopback } from "./people/allowed-hosts.ts";
import { firstOwner, hasOwner, nextSetupRound, setupOpen, setupRound } from "./people/owner.ts";
import { welcomeOwner } from "./people/welcome-owner.ts";
import { readSecretKey, secretOf } from "./secret.ts";
import { loseLocalTurns } from "./turns/recovery/lose-turn.ts";

/** Starting again would not help: the launcher does not try. */
const exitDoNotRestart = 78;

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes("--help")) {
    process.stdout.write(`npm start [-- --reset-owner]\n\n${settingsHelp("server")}`);
    return;
  }
  const config = readConfig(await launcherEnvironment());
  const log = pino({ level: config.logLevel, redact: ["apiKey", "*.apiKey", "*.password"] });
  const secret = secretOf(await readSecretKey(config.secretKey, config.dataDir));
  const database = await openDatabase(config, {
    log,
    onError: (error) => log.error({ err: error }, "the embedded database reports a failure"),
    onLost: () => {
      // The launcher starts the server again; what was acknowledged is on disk.
      log.fatal("the embedded database has ended");
      process.exit(1);
    },
  });
  const { models } = database;
  await checkKey(models, secret);
  if (args.includes("--reset-owner")) {
    await nextSetupRound(models);
  }
  const page = join(dirname(fileURLToPath(import.meta.url)), "../frontend/dist");
  const version = process.env["GADGET_VERSION"] ?? "0.0.0";
  const { redisUrl } = config;
  const broker = redisUrl === undefined ? undefined : await openBroker(redisUrl, log);
  const named = await hasOwnName(config);
  const app = buildApp({
    config,
    database,
    secret,
    log,
    version,
    page,
    broker,
    hasOwnName: named,
  });
  if (config.owner !== undefined) {
    const owner = await firstOwner(models, { ...config.owner, name: "Owner" }, new Date());
    if (owner === undefined) {
      log.info("GADGET_OWNER_EMAIL is ignored: there is an owner already");
    } else {
      await welcomeOwner(app.context, owner);
    }
  }
  await refuseOpenBind(config, models);
  const url = await app.listen();

  const launcher = new Launcher(app, log);
  const code = (await setupOpen(models)) ? secret.setupCode(await setupRound(models)) : undefined;
  const shown = app.context.pageUrl();
  const setupUrl = code === undefined ? undefined : `${shown}/setup#code=${code}`;
  launcher.ready({ url: shown, setupUrl, localUrl: url });

  const ending = new AbortController();
  if (config.enrollFile !== undefined) {
    const file = config.enrollFile;
    const now = (): Date => app.context.now();
    void serveEnrollFile({ file, models, now, log, signal: ending.signal });
  }

  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) {
      return;
    }
    stopping = true;
    ending.abort();
    if (launcher.present) {
      await loseLocalTurns(app.context);
    }
    await app.close();
    await broker?.close();
    await database.close();
    process.exit(0);
  };
  const onStop = (): void => {
    stop().catch((error: unknown) => {
      log.error({ err: error }, "the server could not stop cleanly");
      process.exit(1);
    });
  };
  launcher.onStop(onStop);
  process.on("SIGTERM", onStop);
  process.on("SIGINT", onStop);
}

/** Nothing is reachable without an account: another bind than loopback needs an owner first. */
async function refuseOpenBind(
  { host, setupRemote }: Config,
  models: Parameters<typeof hasOwner>[0],
): Promise<void> {
  if (isLoopback(host) || setupRemote || (await hasOwner(models))) {
    return;
  }
  throw new ConfigError(
    `GADGET_HOST is "${host}", but this server has no owner yet. Start it on 127.0.0.1 first, set GADGET_OWNER_EMAIL and GADGET_OWNER_PASSWORD, or set GADGET_SETUP=remote.`,
  );
}

main().catch((error: unknown) => {
  const known = error instanceof ConfigError;
  const message = known ? error.message : error instanceof Error ? error.message : String(error);
  if (process.send) {
    process.send({ type: "fatal", message });
  } else {
    process.stderr.write(`${message}\n`);
  }
  if (!known && error instanceof Error && process.env["GADGET_LOG_LEVEL"] === "debug") {
    process.stderr.write(`${error.stack}\n`);
  }
  process.exitCode = process.send ? exitDoNotRestart : 1;
  setTimeout(() => process.exit(), 200);
});
