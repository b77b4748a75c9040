import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const bundles = { server: "server.mjs", drone: "gadget-drone.mjs" };
const root = fileURLToPath(new URL("../..", import.meta.url));
const readyMs = 60_000;

export interface Stack {
  url: string;
  setupUrl: string | undefined;
  dataDir: string;
  /** Where the local drone may open folders. */
  roots: string;
  /** The running process of a part; the launcher starts it anew when it dies. */
  pidOf(part: keyof typeof bundles): number;
  stop(): Promise<void>;
}

/** The product as `npm start` runs it: launcher, server, embedded database and local drone. */
export async function startStack(env: Record<string, string> = {}): Promise<Stack> {
  const dataDir = await mkdtemp(join(tmpdir(), "gadget-e2e-"));
  const roots = join(dataDir, "roots");
  await mkdir(roots);
  const launcher = spawn("sh", [join(root, "scripts/start.sh")], {
    cwd: root,
    env: {
      ...process.env,
      GADGET_DATA_DIR: dataDir,
      GADGET_PORT: "0",
      GADGET_ROOTS: roots,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<void>((resolve) => launcher.once("close", () => resolve()));
  const stop = async (): Promise<void> => {
    launcher.kill("SIGINT");
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  };
  let output = "";
  const ready = new Promise<RegExpExecArray>((resolve, reject) => {
    const onText = (text: string): void => {
      output += text;
      const match = /Gadget Code is ready: (\S+)(?:[\s\S]*?(http\S+\/setup#code=\S+))?/.exec(
        output,
      );
      const wanted = env["GADGET_OWNER_EMAIL"] === undefined ? 2 : 1;
      if (match?.[wanted] !== undefined) {
        resolve(match);
      }
    };
    launcher.stdout.setEncoding("utf8").on("data", onText);
    launcher.stderr.setEncoding("utf8").on("data", onText);
    void ended.then(() => reject(new Error(`npm start ended early:\n${output}`)));
    setTimeout(
      () => reject(new Error(`npm start was not ready in time:\n${output}`)),
      readyMs,
    ).unref();
  });
  const [, url = "", setupUrl] = await ready.catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const pidOf = (part: keyof typeof bundles) => childOf(launcher.pid, bundles[part]);
  return { url, setupUrl, dataDir, roots, pidOf, stop };
}

/** A port for a server that must come back under the same address, or know it beforehand. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function childOf(parent: number | undefined, bundle: string): number {
  const table = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" });
  for (const line of table.split("\n")) {
    const [, pid, ppid, args = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    if (Number(ppid) === parent && args.includes(bundle)) {
      return Number(pid);
    }
  }
  throw new Error(`${bundle} is not running.`);
}
