import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { RefusalError } from "@gadget/api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPage } from "../page.ts";
import { sendRoute } from "../person.ts";
import { connectDrone, type ScriptedDrone } from "../scripted-drone.ts";
import { password, startServer, type TestServer } from "../server.ts";
import { routeSample, table } from "./route-samples.ts";

const apiKey = "sk-canary-4b1d7c90";
const secrets = new Map<string, string>([["API key", apiKey]]);
const seen: string[] = [];

let server: TestServer;
let drone: ScriptedDrone;
beforeAll(async () => {
  server = await startServer();
  const { owner, url } = server;
  drone = await connectDrone(server, owner, {
    orders: {
      testProvider: ({ provider }) => ({ ok: false, message: `wrong key ${provider.apiKey}` }),
      listModels: ({ provider }) => {
        throw new RefusalError("unavailable", `wrong key ${provider.apiKey}`);
      },
    },
  });
  secrets.set("drone credential", drone.credential);
  secrets.set("token", owner.token);
  secrets.set("cookie", owner.cookie.replace(/^.*?=/, ""));
  secrets.set("password", password);
  secrets.set("set-up code", server.secret.setupCode(0));
  const page = await openPage(url, owner);
  page.socket.onAny((...args: unknown[]) => seen.push(JSON.stringify(args)));

  const { provider } = await owner.ask("createProvider", {
    body: { name: "Keyed", kind: "openai", apiKey, shared: true },
  });
  const ids = { providers: provider.id, drones: drone.id };
  await owner.ask("updateProvider", { params: { id: provider.id }, body: { apiKey } });
  const { project } = await owner.ask("createProject", { body: { name: "P", droneId: drone.id } });
  const { session } = await owner.ask("createSession", {
    params: { id: project.id },
    body: { providerId: provider.id, model: "m" },
  });
  const { turn } = await owner.ask("submitTurn", {
    params: { id: session.id },
    body: { prompt: "hello" },
  });
  const { provider: given } = await drone.order(turn.id);
  if (given.apiKey !== apiKey) {
    throw new Error("the drone did not get the key");
  }
  await drone.send(turn.id, { type: "notice", level: "info", text: "working" });
  await drone.complete(turn.id, true);
  await sendRoute(url, "login", { body: { email: owner.user.email, password } });
  await sendRoute(url, "login", { body: { email: owner.user.email, password: apiKey } });
  await sendRoute(url, "login", { body: { email: owner.user.email, password, apiKey } });
  const reads = table.filter(([, { method }]) => method === "GET");
  const things = { ...ids, projects: project.id, sessions: session.id, turns: turn.id };
  for (const person of [owner, server.member]) {
    for (const [name, route] of reads) {
      const query = name === "search" ? { q: apiKey } : {};
      const response = await person.send(name, { ...routeSample(route, things), query });
      seen.push(`${name} ${await response.text()}`);
    }
    const test = await person.send("testProvider", { params: { id: provider.id } });
    seen.push(`testProvider ${await test.text()}`);
  }
  page.close();
});
afterAll(async () => {
  drone.close();
  await server.stop();
});

/** Every byte that the server keeps on disk, but the key file that only its user can read. */
async function filesUnder(folder: string): Promise<Buffer[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile() && entry.name !== "secret.key");
  return Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name))));
}

describe("secrets", () => {
  it("are in no answer and no event", () => {
    expect(seen.some((text) => text.includes("wrong key [key]"))).toBe(true);
    for (const [what, secret] of secrets) {
      expect(
        seen.filter((text) => text.includes(secret)),
        what,
      ).toEqual([]);
    }
  });

  it("are in no line of the log", () => {
    for (const [what, secret] of secrets) {
      expect(
        server.logs.filter((line) => line.includes(secret)),
        what,
      ).toEqual([]);
    }
  });

  it("are not in the database, neither as it is read nor on disk", async () => {
    const { db } = server.database.connection;
    const collections = (await db?.collections()) ?? [];
    expect(collections.length).toBeGreaterThan(10);
    const dump: string[] = [];
    for (const collection of collections) {
      dump.push(JSON.stringify(await collection.find().toArray()));
    }
    const files = await filesUnder(server.config.dataDir);
    expect(files.reduce((bytes, file) => bytes + file.length, 0)).toBeGreaterThan(1_000);
    for (const [what, secret] of secrets) {
      expect(
        dump.filter((text) => text.includes(secret)),
        what,
      ).toEqual([]);
      expect(
        files.filter((file) => file.includes(secret)),
        what,
      ).toEqual([]);
    }
  });

  it("are made from a key file that only its user can read", async () => {
    const { mode } = await stat(join(server.config.dataDir, "secret.key"));
    expect(mode & 0o777).toBe(0o600);
  });
});
