import { parseArgs } from "node:util";
import { startDemoModel } from "./demo-model.ts";

const usage = `Usage: npm run demo-model -- --port N [--key K] [--tokens-per-second N]

  --port N               port on 127.0.0.1; 0 takes any free one
  --key K                the API key that clients must send; without it everybody is let in
  --tokens-per-second N  speed of the answers (default 30)
  --help                 this text
`;

/** A wrong command line or a port that can't be had: said in one sentence, without a stack. */
class StartError extends Error {}

interface Arguments {
  port: number;
  key: string;
  tokensPerSecond: number | undefined;
}

function readArguments(argv: string[]): Arguments | "help" {
  const values = optionsIn(argv);
  if (values.help) {
    return "help";
  }
  if (values.port === undefined) {
    throw new StartError("Say the port with --port N.");
  }
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_535) {
    throw new StartError(`--port must be a number from 0 to 65535, not “${values.port}”.`);
  }
  const speed = values["tokens-per-second"];
  const tokensPerSecond = speed === undefined ? undefined : Number(speed);
  if (tokensPerSecond !== undefined && !(tokensPerSecond > 0)) {
    throw new StartError(`--tokens-per-second must be a number above 0, not “${speed}”.`);
  }
  return { port, key: values.key ?? "", tokensPerSecond };
}

function optionsIn(argv: string[]) {
  try {
    return parseArgs({
      args: argv,
      options: {
        port: { type: "string" },
        key: { type: "string" },
        "tokens-per-second": { type: "string" },
        help: { type: "boolean" },
      },
    }).values;
  } catch (error) {
    const [sentence] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/);
    throw new StartError(`${sentence}; --help lists what there is.`);
  }
}

async function main(argv: string[]): Promise<void> {
  const args = readArguments(argv);
  if (args === "help") {
    process.stdout.write(usage);
    return;
  }
  const { port, key, tokensPerSecond } = args;
  const model = await startDemoModel({
    port,
    apiKey: key,
    ...(tokensPerSecond !== undefined && { tokensPerSecond }),
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void model.close());
  }
  process.stdout.write(`Demo model (a script, no AI) at ${model.baseUrl}, model demo\n`);
}

function explain(error: unknown): string {
  if (error instanceof StartError) {
    return error.message;
  }
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
    return "The port is in use; choose another one with --port N.";
  }
  if (error instanceof Error && "code" in error && error.code === "EACCES") {
    return "The port needs more rights than you have; choose one above 1023 with --port N.";
  }
  return `The demo model could not start: ${error instanceof Error ? error.message : String(error)}.`;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
});
