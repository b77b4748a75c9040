import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { MongoClient } from "mongodb";
import { dump } from "./dump/dump.ts";
import { restore } from "./dump/restore.ts";
import { startServer } from "./start-server.ts";

const usage = `Usage: db dump --out DIR (--uri URI | --data DIR)
       db restore --from DIR [--drop] (--uri URI | --data DIR)
--data is the data folder of an embedded database that is stopped.`;

interface Given {
  action: "dump" | "restore";
  folder: string;
  uri: string | undefined;
  data: string | undefined;
  drop: boolean;
}

function given(): Given {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      out: { type: "string" },
      from: { type: "string" },
      uri: { type: "string" },
      data: { type: "string" },
      drop: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  const [action] = positionals;
  if ((action !== "dump" && action !== "restore") || positionals.length !== 1) {
    throw new Error(usage);
  }
  const folder = action === "dump" ? values.out : values.from;
  if (folder === undefined) {
    throw new Error(usage);
  }
  if ((values.uri === undefined) === (values.data === undefined)) {
    throw new Error(usage);
  }
  if (
    action === "dump" &&
    values.data !== undefined &&
    !existsSync(join(values.data, "data.mdb"))
  ) {
    throw new Error(`There is no database in ${values.data}: give the folder that holds data.mdb.`);
  }
  const { uri, data, drop } = values;
  return { action, folder: resolve(folder), uri, data, drop };
}

async function main(): Promise<void> {
  const { action, folder, uri, data, drop } = given();
  const progress = (line: string): void => void process.stderr.write(`${line}\n`);
  const stopping = new AbortController();
  process.once("SIGINT", () => stopping.abort());
  process.once("SIGTERM", () => stopping.abort());
  const server =
    data === undefined
      ? undefined
      : await startServer({
          dataDir: resolve(data),
          ttlIntervalSeconds: 3600,
          onError: (error) => progress(error instanceof Error ? error.message : String(error)),
        });
  try {
    const client = new MongoClient(server?.uri ?? uri ?? "", { serverSelectionTimeoutMS: 10_000 });
    try {
      if (action === "dump") {
        await dump(client, folder, progress, stopping.signal);
      } else {
        await restore(client, folder, { drop }, progress, stopping.signal);
      }
    } finally {
      await client.close();
    }
  } finally {
    await server?.stop();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
