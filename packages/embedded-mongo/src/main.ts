import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { startEmbeddedMongo } from "./index.ts";

const usage = "Usage: embedded-mongo --port N --data DIR [--ttl-interval SECONDS]";

interface Given {
  port: number;
  data: string;
  ttlInterval: number;
}

function given(): Given {
  const { values } = parseArgs({
    options: {
      port: { type: "string" },
      data: { type: "string" },
      "ttl-interval": { type: "string", default: "60" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  const port = Number(values.port);
  const ttlInterval = Number(values["ttl-interval"]);
  if (values.port === undefined || !Number.isInteger(port) || port < 0 || port > 65535) {
    throw new Error(`--port needs a number from 0 (any free port) to 65535. ${usage}`);
  }
  if (values.data === undefined) {
    throw new Error(`--data needs a folder. ${usage}`);
  }
  if (!(ttlInterval > 0)) {
    throw new Error(`--ttl-interval needs a number of seconds. ${usage}`);
  }
  return { port, data: resolve(values.data), ttlInterval };
}

async function main(): Promise<void> {
  const { port, data, ttlInterval } = given();
  const server = await startEmbeddedMongo({
    dataDir: data,
    port,
    ttlIntervalSeconds: ttlInterval,
    onError: ({ stack, message }) =>
      process.stderr.write(`${stack ?? message}
`),
  });
  let stopping = false;
  const stop = (): void => {
    stopping = true;
    server.stop().then(() => process.exit(0), fail);
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  process.stdout.write(`${server.uri}\n`);
  await server.exited;
  if (!stopping) {
    throw new Error("The database ended by itself: see the error above.");
  }
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

main().catch(fail);
