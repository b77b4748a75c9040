import { homedir, hostname } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { settingsHelp } from "@gadget/api/settings";
import { Command, CommanderError } from "commander";
import { type OutboundProxy, readProxy } from "./link/outbound-proxy.ts";
import { Problem } from "./problem.ts";
import type { Root } from "./workspace/roots.ts";

/** What the command line and the environment say, parsed once. */
export interface Settings {
  server: string | undefined;
  enroll: string | undefined;
  enrollFile: string | undefined;
  dataDir: string;
  name: string;
  host: string;
  capacity: number;
  insecure: boolean;
  underLauncher: boolean;
  workspaces: string;
  roots: Root[];
  /** Whether web_fetch may reach the drone's own network. */
  innerAddresses: boolean;
  proxy: OutboundProxy | undefined;
  supervisor: "auto" | "best-effort";
  logLevel: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

interface Options {
  server?: string;
  enroll?: string;
  enrollFile?: string;
  data?: string;
  name?: string;
  capacity?: string;
  insecure?: true;
}

/** Undefined when only help or the version was asked for. */
export function readSettings(
  args: readonly string[],
  env: Environment,
  version: string,
): Settings | undefined {
  const options = readCommandLine(args, version);
  if (options === undefined) {
    return undefined;
  }
  const underLauncher = env["GADGET_LAUNCHER"] === "1";
  const insecure = options.insecure === true;
  if (options.server !== undefined) {
    checkServer(options.server, insecure);
  }
  const base = resolve(env["GADGET_DATA_DIR"] || join(homedir(), ".gadget"));
  const dataDir = resolve(options.data ?? join(base, "drone"));
  const workspaces = resolve(env["GADGET_WORKSPACES"] || join(dataDir, "workspaces"));
  return {
    server: options.server,
    enroll: options.enroll,
    enrollFile: options.enrollFile,
    dataDir,
    name: options.name ?? hostname(),
    host: hostname(),
    capacity: readCapacity(options.capacity ?? "4"),
    insecure,
    underLauncher,
    workspaces,
    roots: readRoots(env["GADGET_ROOTS"], underLauncher),
    innerAddresses: env["GADGET_FETCH_INNER"] === "1",
    proxy: readProxy(env),
    supervisor: readSupervisor(env["GADGET_SUPERVISOR"] || "auto"),
    logLevel: readLogLevel(env["GADGET_LOG_LEVEL"] ?? "info"),
  };
}

function readCommandLine(args: readonly string[], version: string): Options | undefined {
  const command = new Command("gadget-drone")
    .description("A worker of Gadget Code: runs the agent and its tools on this machine.")
    .version(version)
    .option("--server <url>", "where the server is")
    .option("--enroll <code>", "the one-time code from the server; needed once")
    .option("--enroll-file <file>", "a file that holds the code; waits until it is there")
    .option("--data <folder>", "where credential, unsent events and workspaces are kept")
    .option("--name <name>", "how the server shows it (default: the host's name)")
    .option("--capacity <number>", "how many turns run at once (default: 4)")
    .option("--insecure", "allow plain http to a server on another machine")
    .addHelpText("after", `\n${settingsHelp("drone")}`)
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  try {
    command.parse([...args], { from: "user" });
    return command.opts<Options>();
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      throw error;
    }
    if (error.exitCode === 0) {
      return undefined;
    }
    throw new Problem(`${error.message.replace(/^error: /, "")} ("--help" lists the options).`);
  }
}

/** Refuses to send a credential where others could read it. */
export function checkServer(server: string, insecure: boolean): void {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw new Problem(`"${server}" is no address of a server: it looks like https://HOST.`);
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !insecure) {
    throw new Problem(
      `${server} is plain http to another machine, where others can read everything: use https, or add --insecure.`,
    );
  }
}

function isLoopback(hostname: string): boolean {
  return (
    /^127(\.\d{1,3}){3}$/.test(hostname) ||
    hostname === "[::1]" ||
    hostname === "localhost" ||
    hostname.endsWith(".localhost")
  );
}

function readCapacity(text: string): number {
  const capacity = Number(text);
  if (!Number.isInteger(capacity) || capacity < 1 || capacity > 1_000) {
    throw new Problem(`--capacity is a number from 1 to 1000, not "${text}".`);
  }
  return capacity;
}

function readSupervisor(wanted: string): Settings["supervisor"] {
  if (wanted === "auto" || wanted === "best-effort") {
    return wanted;
  }
  throw new Problem(`GADGET_SUPERVISOR is auto or best-effort, not "${wanted}".`);
}

function readLogLevel(level: string): string {
  if (logLevels.includes(level)) {
    return level;
  }
  throw new Problem(`GADGET_LOG_LEVEL is one of ${logLevels.join(", ")}, not "${level}".`);
}

/** The local drone works in the home folder; a remote one only in what it made itself. */
function readRoots(list: string | undefined, underLauncher: boolean): Root[] {
  if (list !== undefined && list !== "") {
    const paths = list.split(delimiter).filter((path) => path !== "");
    const relative = paths.find((path) => !path.startsWith("/"));
    if (relative !== undefined) {
      throw new Problem(`GADGET_ROOTS lists absolute folders; "${relative}" is none.`);
    }
    return paths.map((path) => ({ path: resolve(path), dotFolders: true }));
  }
  return underLauncher ? [{ path: homedir(), dotFolders: false }] : [];
}
