import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "./support/build.ts";
import { Child } from "./support/child.ts";
import { Stack } from "./support/stack.ts";
import {
  type Listening,
  makeCertificate,
  startModel,
  startProxy,
  tlsInFrontOf,
} from "./support/tunnel.ts";

let stack: Stack;
/** An empty folder into which the two packages were installed. */
let place: string;
const drones: Child[] = [];
const open: Listening[] = [];

const npm = (args: string[], cwd: string) =>
  promisify(execFile)("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], { cwd });

beforeAll(async () => {
  stack = await Stack.start();
  place = join(stack.folder, "place");
  await mkdir(place);
  await npm(
    ["pack", "-w", "gadget-drone", "-w", "packages/cli", "--pack-destination", place],
    root,
  );
  await writeFile(join(place, "package.json"), "{}");
  const packages = (await readdir(place)).filter((name) => name.endsWith(".tgz"));
  await npm(["install", "--offline", ...packages.map((name) => `./${name}`)], place);
}, 120_000);

afterAll(async () => {
  for (const drone of drones) {
    await drone.stop("SIGKILL");
  }
  for (const one of open) {
    await one.close();
  }
  await stack.stop();
});

async function enrolmentCode(): Promise<string> {
  const signal = AbortSignal.timeout(10_000);
  return (await stack.client.request("createEnrollment", { signal })).code;
}

function startDrone(args: string[], env: Record<string, string> = {}): Child {
  const bin = join(place, "node_modules/.bin/gadget-drone");
  const drone = new Child({ args: [bin, ...args], cwd: place, env: { ...stack.env, ...env } });
  drones.push(drone);
  return drone;
}

async function projectOn(droneName: string): Promise<string> {
  const signal = AbortSignal.timeout(10_000);
  const { items } = await stack.client.request("listDrones", { query: {}, signal });
  const droneId = items.find(({ name }) => name === droneName)?.id;
  if (droneId === undefined) {
    throw new Error(`There is no drone ${droneName}.`);
  }
  const name = `On ${droneName}`;
  await stack.client.request("createProject", { body: { name, droneId }, signal });
  return name;
}

function gadget(...args: string[]) {
  const bin = join(place, "node_modules/.bin/gadget");
  return new Child({ args: [bin, ...args], cwd: place, env: stack.env }).end();
}

describe("the packages of drone and CLI in an empty folder", () => {
  it("are what ships: no dependency, no source, but the licence and what it is", async () => {
    for (const name of ["drone", "cli"]) {
      const folder = join(place, "node_modules/@gadget", name);
      const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
      expect(manifest).not.toHaveProperty("dependencies");
      expect(await readdir(folder)).toEqual(expect.arrayContaining(["dist", "package.json"]));
      expect(await readdir(folder)).not.toContain("src");
      expect(await readFile(join(folder, "README.md"), "utf8")).toContain("Gadget Code");
      const license = await readFile(join(root, "LICENSE"), "utf8");
      expect(await readFile(join(folder, "LICENSE"), "utf8")).toBe(license);
    }
    const installed = await readdir(join(place, "node_modules"));
    expect(installed.filter((name) => !name.startsWith("."))).toEqual(["@gadget"]);
  });

  it("enrol a drone, and run a turn on it", async () => {
    const data = join(stack.folder, "packed");
    const where = ["--server", stack.url, "--data", data, "--name", "packed"];
    const drone = startDrone([...where, "--enroll", await enrolmentCode()]);
    await drone.until(/is online/);
    const run = await gadget("run", "List the files, fast", "--project", await projectOn("packed"));
    expect(run, run.stderr).toMatchObject({ code: 0 });
    expect(run.stdout).toMatch(/✓ finished/);

    await drone.stop("SIGTERM");
    await startDrone(where).until(/is online/);
  });

  it("refuse plain http to another machine", async () => {
    const drone = startDrone(["--server", "http://gadget.example.com", "--enroll", "x"]);
    const { code, stderr } = await drone.end();
    expect(code).toBe(1);
    expect(stderr).toMatch(/plain http to another machine.*--insecure/);
  });
});

describe("a drone behind a proxy, at a server with a private CA", () => {
  it("reaches server and model through the proxy, and trusts the CA that it is given", async () => {
    await makeCertificate(stack.folder, "gadget.test");
    const [tls, model] = await Promise.all([
      tlsInFrontOf(Number(new URL(stack.url).port), stack.folder),
      startModel("Hello through the proxy."),
    ]);
    const proxy = await startProxy({ "gadget.test:443": tls.port, "model.test:80": model.port });
    open.push(proxy, tls, model);
    const address = `http://127.0.0.1:${proxy.port}`;
    const args = ["--server", "https://gadget.test", "--name", "far"];
    const proxied = { HTTPS_PROXY: address, HTTP_PROXY: address };
    const code = await enrolmentCode();

    const wary = startDrone(
      [...args, "--data", join(stack.folder, "wary"), "--enroll", code],
      proxied,
    );
    expect((await wary.end()).code).toBe(1);

    const far = startDrone([...args, "--data", join(stack.folder, "far"), "--enroll", code], {
      ...proxied,
      NODE_EXTRA_CA_CERTS: join(stack.folder, "ca.pem"),
    });
    await far.until(/is online/);
    expect(proxy.asked.filter((to) => to === "gadget.test:443").length).toBeGreaterThan(2);

    await stack.client.request("createProvider", {
      body: { name: "Far model", kind: "openai", baseUrl: "http://model.test/v1", apiKey: "k" },
      signal: AbortSignal.timeout(10_000),
    });
    const project = await projectOn("far");
    const run = await gadget(
      "run",
      "hi",
      "--project",
      project,
      "--provider",
      "Far model",
      "--model",
      "m",
    );
    expect(run.stdout, run.stderr).toContain("Hello through the proxy.");
    // How much it can read is asked first.
    expect(model.requests).toEqual([
      "GET model.test/v1/models",
      "POST model.test/v1/chat/completions",
    ]);
  });
});
