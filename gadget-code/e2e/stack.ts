import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const readyMs = 60_000;

export interface Stack {
  url: string;
  setupUrl: string | undefined;
  dataDir: string;
  stop(): Promise<void>;
}

/** The product as `npm start` runs it: launcher, server, embedded database and local drone. */
export async function startStack(env: Record<string, string> = {}): Promise<Stack> {
  const dataDir = await mkdtemp(join(tmpdir(), "gadget-e2e-"));
  const launcher = spawn(process.execPath, [join(root, "scripts/start.mjs")], {
    cwd: root,
    env: { ...process.env, GADGET_DATA_DIR: dataDir, GADGET_PORT: "0", ...env },
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
      if (match?.[wanted] !== undefined) resolve(match);
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
  return { url, setupUrl, dataDir, stop };
}
