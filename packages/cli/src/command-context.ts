import type { Terminal } from "./ask/terminal.ts";
import { Client } from "./client.ts";
import { readCredentials } from "./credentials.ts";
import { exitCodes } from "./exit-code.ts";
import { type Style, styleFor } from "./print/style.ts";
import { Problem } from "./problem.ts";
import { defaultServer, serverAddress } from "./server-address.ts";

/** The options that every command takes. */
export interface GlobalOptions {
  server?: string;
  token?: string;
  json?: true;
}

/** What a command works with. */
export interface CommandContext {
  terminal: Terminal;
  client: Client;
  /** For stdout. */
  style: Style;
  json: boolean;
  signal: AbortSignal;
  /** A line of the result. */
  print: (line: string) => void;
  /** The result as one line of JSON: the wire's own object. */
  printJson: (value: object) => void;
  /** A line for the person, beside the result. */
  note: (line: string) => void;
}

export async function openContext(
  terminal: Terminal,
  options: GlobalOptions,
): Promise<CommandContext> {
  const { env } = terminal;
  const stored = await readCredentials(env);
  const named = options.server ?? (env["GADGET_SERVER"] || undefined);
  const server = serverAddress(named ?? stored.current ?? defaultServer);
  const token = options.token ?? (env["GADGET_TOKEN"] || undefined) ?? stored.tokens[server];
  if (token === undefined) {
    throw new Problem(
      `You are not signed in at ${server}. Run "gadget login --server ${server}".`,
      exitCodes.error,
      "unauthenticated",
    );
  }
  return contextFor(terminal, new Client(server, token), options);
}

export function contextFor(
  terminal: Terminal,
  client: Client,
  { json }: GlobalOptions,
): CommandContext {
  const { stdout, stderr, env, interrupts } = terminal;
  return {
    terminal,
    client,
    style: styleFor(stdout, env),
    json: json === true,
    signal: interrupts.signal,
    print: (line) => void stdout.write(`${line}\n`),
    printJson: (value) => void stdout.write(`${JSON.stringify(value)}\n`),
    note: (line) => void stderr.write(`${line}\n`),
  };
}
