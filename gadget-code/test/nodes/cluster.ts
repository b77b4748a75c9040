import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { DroneId, ProviderId, SessionId, TurnId } from "@gadget/api";
import { becomes } from "@gadget/testing/becomes";
import { ScriptedModel } from "@gadget/testing/scripted-model";
import mongoose from "mongoose";
import { DroneChild } from "../../../gadget-drone/test/support/drone-child.ts";
import { Person, sendRoute } from "../person.ts";
import { testDatabase } from "../test-database.ts";
import { Child } from "./child.ts";
import { Redis } from "./redis.ts";
import { Switchboard } from "./switchboard.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
export const cliBundle = join(root, "packages/cli/dist/gadget.mjs");
const email = "olive@example.com";
const password = "correct horse battery";

export interface Node {
  process: Child;
  url: string;
  /** The owner, who talks to this node. */
  person: Person;
}

/** Two web nodes on one database and one Redis, a drone behind a switchboard, and a model. */
export class Cluster {
  readonly #folder: string;
  readonly #database: Child | undefined;
  readonly #mongodbUri: string;
  readonly redis: Redis;
  readonly board: Switchboard;
  readonly model: ScriptedModel;
  #drone: DroneChild | undefined;
  #credential: { user: Person["user"]; token: string } | undefined;
  #providerId: ProviderId | undefined;
  droneId: DroneId | undefined;
  one!: Node;
  two!: Node;

  private constructor(
    folder: string,
    database: Child | undefined,
    uri: string,
    parts: [Redis, Switchboard, ScriptedModel],
  ) {
    this.#folder = folder;
    this.#database = database;
    this.#mongodbUri = uri;
    [this.redis, this.board, this.model] = parts;
  }

  static async start(): Promise<Cluster> {
    const build = [join(root, "scripts/build.mjs"), "server", "embedded-mongo", "cli"];
    await promisify(execFile)(process.execPath, build, { cwd: root });
    const folder = await mkdtemp(join(tmpdir(), "gadget-nodes-"));
    const given = testDatabase()["MONGODB_URI"];
    const main = join(root, "packages/embedded-mongo/dist/embedded-mongo.mjs");
    const args = [main, "--port", "0", "--data", join(folder, "database")];
    const database =
      given === undefined ? new Child(process.execPath, args, {}, /mongodb:\S+/) : undefined;
    const parts = await Promise.all([Redis.start(), Switchboard.start(), ScriptedModel.start()]);
    const [uri = ""] = (await database?.ready) ?? [given];
    const cluster = new Cluster(folder, database, uri, parts);
    cluster.one = await cluster.startNode();
    cluster.two = await cluster.startNode();
    await cluster.#settleIn();
    return cluster;
  }

  async startNode(): Promise<Node> {
    const process = new Child(
      globalThis.process.execPath,
      [join(root, "gadget-code/dist/server.mjs")],
      {
        GADGET_DATA_DIR: this.#folder,
        GADGET_PORT: "0",
        GADGET_SECRET_KEY: "5e".repeat(32),
        GADGET_OWNER_EMAIL: email,
        GADGET_OWNER_PASSWORD: password,
        GADGET_LOG_LEVEL: "warn",
        MONGODB_URI: this.#mongodbUri,
        REDIS_URL: this.redis.url,
      },
      /ready: (\S+)/,
    );
    const [, url = ""] = await process.ready;
    this.#credential ??= await signIn(url);
    const { user, token } = this.#credential;
    return { process, url, person: new Person(url, user, token, "") };
  }

  async #settleIn(): Promise<void> {
    const { person } = this.one;
    const { provider } = await person.ask("createProvider", {
      body: {
        name: "scripted",
        kind: "openai",
        baseUrl: this.model.baseUrl,
        apiKey: "key",
        defaultModel: "scripted",
      },
    });
    this.#providerId = provider.id;
    const { code } = await person.ask("createEnrollment");
    this.board.leadTo(this.one.url);
    const data = join(this.#folder, "drone");
    this.#drone = new DroneChild(
      ["--server", this.board.url, "--enroll", code, "--data", data, "--name", "box"],
      { GADGET_LOG_LEVEL: "warn" },
    );
    this.droneId = await becomes(
      async () => (await person.ask("listDrones")).items[0],
      (drone) => drone?.status === "online",
      30_000,
    ).then((drone) => drone?.id);
  }

  async newSession(): Promise<SessionId> {
    const { person } = this.one;
    const droneId = this.droneId;
    const { project } = await person.ask("createProject", { body: { name: "p", droneId } });
    const body = { providerId: this.#providerId, approval: "auto" as const };
    const { session } = await person.ask("createSession", { params: { id: project.id }, body });
    return session.id;
  }

  async submit({ person }: Node, prompt: string, sessionId?: SessionId): Promise<TurnId> {
    const id = sessionId ?? (await this.newSession());
    const { turn } = await person.ask("submitTurn", { params: { id }, body: { prompt } });
    return turn.id;
  }

  async stop(): Promise<void> {
    await this.#drone?.end();
    await Promise.all([this.one.process.end(), this.two.process.end()]);
    await Promise.all([this.redis.down(), this.board.stop(), this.model.stop()]);
    if (this.#database === undefined) {
      const connection = await mongoose.createConnection(this.#mongodbUri).asPromise();
      await connection.dropDatabase();
      await connection.close();
    }
    await this.#database?.end();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function signIn(url: string): Promise<{ user: Person["user"]; token: string }> {
  const login = await sendRoute(url, "login", { body: { email, password } });
  const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
  const made = await sendRoute(url, "createToken", {
    body: { name: "test" },
    headers: { cookie, origin: url },
  });
  const { token } = (await made.json()) as { token: string };
  const { user } = (await login.json()) as { user: Person["user"] };
  return { user, token };
}
