import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { sendRoute } from "../person.ts";
import { Child } from "./child.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const email = "olive@example.com";
const password = "correct horse battery";

it("three nodes that are started together on an empty database all come up, with one owner", async () => {
  const build = [join(root, "scripts/build.mjs"), "server", "embedded-mongo"];
  await promisify(execFile)(process.execPath, build, { cwd: root });
  const folder = await mkdtemp(join(tmpdir(), "gadget-first-start-"));
  const main = join(root, "packages/embedded-mongo/dist/embedded-mongo.mjs");
  const args = [main, "--port", "0", "--data", join(folder, "database")];
  const database = new Child(process.execPath, args, {}, /mongodb:\S+/);
  const [MONGODB_URI = ""] = await database.ready;
  const env = {
    GADGET_DATA_DIR: folder,
    GADGET_PORT: "0",
    GADGET_SECRET_KEY: "5e".repeat(32),
    GADGET_OWNER_EMAIL: email,
    GADGET_OWNER_PASSWORD: password,
    GADGET_LOG_LEVEL: "warn",
    MONGODB_URI,
  };
  const server = join(root, "gadget-code/dist/server.mjs");
  const nodes = [1, 2, 3].map(() => new Child(process.execPath, [server], env, /ready: (\S+)/));
  try {
    for (const node of nodes) {
      const [, url = ""] = await node.ready;
      const login = await sendRoute(url, "login", { body: { email, password } });
      expect(login.status).toBe(200);
    }
  } finally {
    await Promise.all(nodes.map((node) => node.end()));
    await database.end();
    await rm(folder, { recursive: true, force: true });
  }
}, 120_000);
