import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmod, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { settings } from "../../packages/api/src/settings.ts";
import { ensureBuilt } from "../build/ensure-built.mjs";
import { environmentOf, wordsOf } from "./dockerfile.mjs";
import { makeImage, nodeUser } from "./make-image.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const built = process.env["IMAGES_BUILT_IN"] ?? root;
const account = { email: "ada@example.com", name: "Ada", password: "correct horse battery" };
// As in the images, nothing runs as root.
const user = process.getuid?.() === 0 ? nodeUser : {};

type Image = Awaited<ReturnType<typeof makeImage>>;
let folder: string;
let web: Image;
let drone: Image;
let mongo: Started;
let nodes: Started[];
let worker: Started;
const started: Started[] = [];

interface Started {
  process: ChildProcess;
  output: () => string;
}

function start(
  args: string[],
  cwd: string,
  env: Record<string, string>,
  as: object = user,
): Started {
  let output = "";
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...as,
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const one = { process: child, output: () => output };
  started.push(one);
  return one;
}

/** Waits until it has said this; the pattern's group, or all that matched. */
async function said(one: Started, pattern: RegExp): Promise<string> {
  const deadline = performance.now() + 40_000;
  for (;;) {
    const found = pattern.exec(one.output());
    if (found !== null) {
      return found[1] ?? found[0];
    }
    if (one.process.exitCode !== null || performance.now() > deadline) {
      throw new Error(`${pattern} did not come:\n${one.output()}`);
    }
    await delay(20);
  }
}

/** Paths of the image lie under its folder here. */
const inImage = (words: string[], image: string) =>
  words.map((word) => word.replaceAll(/(^|[ =])\/(data|enroll)/g, `$1${image}/$2`));

beforeAll(async () => {
  await ensureBuilt(root, ["server", "frontend", "drone", "cli", "embedded-mongo"]);
  folder = await mkdtemp(join(tmpdir(), "gadget-image-test-"));
  await chmod(folder, 0o755);
  const make = (target: string) => makeImage({ root, target, into: join(folder, target), built });
  [web, drone] = await Promise.all([make("web"), make("drone")]);
  const database = join(root, "packages/embedded-mongo/dist/embedded-mongo.mjs");
  mongo = start([database, "--port", "0", "--data", join(folder, "mongo")], folder, {}, {});
  const uri = await said(mongo, /mongodb:\S+/);
  const env = {
    ...environmentOf(web.stage),
    GADGET_HOST: "127.0.0.1",
    GADGET_PORT: "0",
    GADGET_DATA_DIR: join(folder, "web/data"),
    GADGET_ENROLL_FILE: join(folder, "web/enroll/code"),
    GADGET_SETUP: "remote",
    MONGODB_URI: uri,
  };
  const [, ...command] = wordsOf(web.stage, "CMD");
  nodes = [start(command, web.app, env), start(command, web.app, env)];
  const [, ...entry] = wordsOf(drone.stage, "ENTRYPOINT");
  const server = await said(nodes[0]!, /ready: (http\S+)/);
  const more = ["--server", server, "--enroll-file", join(folder, "web/enroll/code")];
  const workspaces = { GADGET_WORKSPACES: join(folder, "drone/workspaces") };
  const args = [...inImage(entry, join(folder, "drone")), ...more];
  worker = start(args, drone.app, { ...environmentOf(drone.stage), ...workspaces });
}, 90_000);

afterAll(async () => {
  for (const { process: child } of started.toReversed()) {
    if (child.exitCode !== null) {
      continue;
    }
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill();
    const kill = setTimeout(() => child.kill("SIGKILL"), 10_000);
    await ended;
    clearTimeout(kill);
  }
  await rm(folder, { recursive: true, force: true });
}, 60_000);

describe("the images of the Dockerfile", () => {
  it("hold bundles only: no packages and no source", async () => {
    for (const { app } of [web, drone]) {
      const files = (await readdir(app, { recursive: true })).map(String);
      expect(files).toContain("LICENSE");
      expect(files.filter((path) => /node_modules|\.tsx?$/.test(path))).toEqual([]);
    }
  });

  it("run as two web nodes that agree on one secret key, and a drone that waits for an owner", async () => {
    const links = await Promise.all(nodes.map((node) => said(node, /Set it up: \S+#code=(\S+)/)));
    expect(links[0]).toBe(links[1]);
    const key = join(folder, "web/data/secret.key");
    expect(await readFile(key, "utf8")).toMatch(/^[0-9a-f]{64}$/);
    expect((await stat(key)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, "web/data"))).toEqual(["secret.key"]);
    await said(worker, /Waiting for a code in/);
    expect(await readdir(join(folder, "web/enroll"))).toEqual(["code.wanted"]);
  });

  it("enrol the drone once there is an owner, through a file, and work", async () => {
    const link = new URL(await said(nodes[0]!, /Set it up: (\S+)/));
    const code = new URLSearchParams(link.hash.slice(1)).get("code");
    const headers = { "content-type": "application/json", origin: link.origin };
    const post = (path: string, body: object, cookie = "") =>
      fetch(new URL(`/api/v1${path}`, link), {
        method: "POST",
        body: JSON.stringify(body),
        headers: { ...headers, cookie },
      });
    const set = await post("/auth/setup", { code, ...account });
    expect(set.ok, await set.text()).toBe(true);
    const cookie = set.headers.getSetCookie().map((one) => one.split(";")[0]);
    await said(worker, /is online/);
    expect(await readdir(join(folder, "web/enroll"))).toEqual([]);

    const made = await (await post("/tokens", { name: "test" }, cookie.join("; "))).text();
    const token = /"token":"([^"]+)"/.exec(made)?.[1] ?? "";
    const cli = join(root, "packages/cli/dist/gadget.mjs");
    const args = [cli, "run", "List the files, fast", "--project", "Sample project"];
    const run = start(args, folder, { GADGET_SERVER: link.origin, GADGET_TOKEN: token });
    await said(run, /✓ finished/);
  }, 60_000);

  it("are healthy by their own health checks", async () => {
    const url = new URL(await said(nodes[0]!, /ready: (http\S+)/));
    const checks = [
      { words: wordsOf(web.stage, "HEALTHCHECK"), env: { GADGET_PORT: url.port } },
      { words: inImage(wordsOf(drone.stage, "HEALTHCHECK"), join(folder, "drone")), env: {} },
    ];
    for (const { words, env } of checks) {
      const [program = "", ...args] = words;
      const checked = promisify(execFile)(program, args, {
        env: { PATH: process.env["PATH"], ...env },
      });
      await expect(checked).resolves.toBeDefined();
    }
  });

  it("are given by docker-compose.yml only variables that are settings", async () => {
    const compose = await readFile(join(root, "docker-compose.yml"), "utf8");
    const named = compose.match(/^ {6}([A-Z][A-Z_]+)(?=:)/gm)?.map((name) => name.trim()) ?? [];
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !Object.hasOwn(settings, name))).toEqual(["GADGET_SITE"]);
  });
});
