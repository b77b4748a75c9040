import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const folders: string[] = [];
const running = new Set<ChildProcess>();

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gadget-start-"));
  folders.push(folder);
  return folder;
}

interface Start {
  output: string;
  /** Undefined while it runs. */
  code: number | undefined;
  url: string;
  stop(): Promise<void>;
}

const isReady = /ready: \S+\n/;
const isLinked = /#code=\S+\n/;

/** The real process, until it has said so or has ended. */
async function start(
  dataDir: string,
  env: Record<string, string>,
  until: RegExp = isReady,
  args: string[] = [],
): Promise<Start> {
  const child = spawn(process.execPath, ["--import", "tsx", main, ...args], {
    env: {
      PATH: process.env["PATH"],
      HOME: dataDir,
      GADGET_DATA_DIR: dataDir,
      GADGET_PORT: "0",
      GADGET_LOG_LEVEL: "error",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let output = "";
  const ended = new Promise<number>((resolve) => {
    child.once("close", (code) => {
      running.delete(child);
      resolve(code ?? -1);
    });
  });
  const ready = new Promise<undefined>((resolve) => {
    const onText = (text: string): void => {
      output += text;
      if (until.test(output)) {
        resolve(undefined);
      }
    };
    child.stdout.setEncoding("utf8").on("data", onText);
    child.stderr.setEncoding("utf8").on("data", onText);
  });
  const code = await Promise.race([ended, ready]);
  return {
    get output() {
      return output;
    },
    code,
    url: /ready: (\S+)/.exec(output)?.[1] ?? "",
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

afterAll(async () => {
  for (const child of running) {
    child.kill("SIGKILL");
  }
  for (const folder of folders) {
    await rm(folder, { recursive: true, force: true });
  }
});

const owner = { GADGET_OWNER_EMAIL: "o@example.com", GADGET_OWNER_PASSWORD: "long enough pw" };

describe.concurrent("a start that can't be safe or right", () => {
  it("ends with one sentence that says what to do, and code 1", async () => {
    const busy = createServer();
    await new Promise<void>((resolve) => void busy.listen(0, "127.0.0.1", resolve));
    const address = busy.address();
    const port = typeof address === "object" && address !== null ? String(address.port) : "";
    const damaged = await newFolder();
    await writeFile(join(damaged, "secret.key"), "abc");
    const cases: [Record<string, string>, string, string?][] = [
      [{ GADGET_HOST: "0.0.0.0" }, "GADGET_SETUP=remote"],
      [{ GADGET_PORT: port }, `Port ${port} is in use`],
      [{}, "is damaged", damaged],
    ];
    const starts = cases.map(async ([env, sentence, folder]) => {
      const { code, output } = await start(folder ?? (await newFolder()), env);
      return { sentence, code, output };
    });
    for (const { sentence, code, output } of await Promise.all(starts)) {
      expect(output).toContain(sentence);
      expect(output.trim().split("\n"), sentence).toHaveLength(1);
      expect(code).toBe(1);
    }
    busy.close();
  });
});

describe.concurrent("a server that is started again", () => {
  it("knows its key, and gives the owner's account away only when it is asked to", async () => {
    const folder = await newFolder();
    const first = await start(folder, { ...owner, GADGET_HOST: "0.0.0.0" });
    const state = await fetch(`${first.url}/api/v1/auth/setup`);
    expect(await state.json()).toEqual({ hasOwner: true });
    await first.stop();
    expect(first.output).not.toContain("#code=");

    const stranger = await start(folder, { GADGET_SECRET_KEY: "0f".repeat(32) });
    expect(stranger.output).toContain("not the one that this database belongs to");
    expect(stranger.code).toBe(1);

    const reset = await start(folder, {}, isLinked, ["--reset-owner"]);
    const code = /\/setup#code=(\S+)/.exec(reset.output)?.[1] ?? "";
    const response = await fetch(`${reset.url}/api/v1/auth/setup`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        code,
        email: "n@example.com",
        name: "New",
        password: "a new password",
      }),
    });
    expect(response.status).toBe(201);
    await reset.stop();
  });
});

describe.concurrent("GADGET_SETUP=remote", () => {
  it("starts on every address, prints the link and serves nothing but set-up", async () => {
    const open = { GADGET_HOST: "0.0.0.0", GADGET_SETUP: "remote" };
    const server = await start(await newFolder(), open, isLinked);
    const { url } = server;
    expect(server.output).toContain("/setup#code=");
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/api/v1/auth/setup`)).status).toBe(200);
    expect((await fetch(`${url}/api/v1/openapi.json`)).status).toBe(401);
    await server.stop();
  });
});
