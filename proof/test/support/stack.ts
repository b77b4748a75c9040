import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ApprovalMode,
  type ChatTurn,
  type DroneId,
  isSettled,
  newId,
  type Project,
  type ProviderId,
  type SessionId,
  type TurnEvent,
  TurnId,
} from "@gadget/api";
import { eventually } from "@gadget/testing/eventually";
import { ScriptedModel } from "@gadget/testing/scripted-model";
import { TcpProxy } from "@gadget/testing/tcp-proxy";
import { freePort, redisServer } from "../../../gadget-code/test/nodes/redis.ts";
import { Client } from "../../../packages/cli/src/client.ts";
import { readEvents } from "../../../packages/cli/src/follow/read-events.ts";
import { buildBundles, root } from "../../../packages/cli/test/support/build.ts";
import { PartProcess } from "./part-process.ts";
import { TurnWatch } from "./turn-watch.ts";

const owner = { email: "ada@example.com", password: "correct horse battery" };
const patienceMs = 60_000;

export interface StackOptions {
  nodes?: number;
  drones?: number;
  capacity?: number;
  /** A database in a process of its own; several nodes need it. */
  ownDatabase?: boolean;
  /** Redis between the nodes. */
  redis?: boolean;
  graceSeconds?: number;
  env?: Record<string, string>;
}

interface Submission {
  node?: number;
  turnId?: TurnId;
  /** Not after another turn that writes in the same workspace. */
  runAnyway?: boolean;
}

/** A drone's process, the way by which it reaches its server, and its project. */
export interface StackDrone {
  process: PartProcess;
  proxy: TcpProxy;
  folder: string;
  id: DroneId;
  project: Project;
  /** Where its next connection leads. */
  node: number;
}

/** The product as real processes: database, web nodes, drones; and a model that tests script. */
export class Stack {
  readonly folder: string;
  readonly model: ScriptedModel;
  readonly nodes: PartProcess[] = [];
  readonly drones: StackDrone[] = [];
  readonly database: PartProcess | undefined;
  /** The nodes' way to the database and to Redis, where those have processes of their own. */
  databaseWay: TcpProxy | undefined;
  redis: PartProcess | undefined;
  redisWay: TcpProxy | undefined;
  readonly #ports: number[] = [];
  readonly #options: Required<StackOptions>;
  #databaseUri = "";
  #token = "";
  #providerId: ProviderId | undefined;

  private constructor(folder: string, model: ScriptedModel, options: Required<StackOptions>) {
    this.folder = folder;
    this.model = model;
    this.#options = options;
    if (options.ownDatabase) {
      this.database = new PartProcess(() => ({
        args: [
          join(root, "packages/embedded-mongo/dist/embedded-mongo.mjs"),
          `--data=${join(folder, "database")}`,
          `--port=${this.#databaseUri === "" ? "0" : new URL(this.#databaseUri).port}`,
        ],
        cwd: root,
        env: this.#env,
        ready: /mongodb:\S+/,
      }));
    }
  }

  static async start(options: StackOptions = {}): Promise<Stack> {
    await buildBundles();
    const folder = await realpath(await mkdtemp(join(tmpdir(), "gadget-proof-")));
    const defaults = { nodes: 1, drones: 1, capacity: 8, graceSeconds: 60, env: {} };
    const several = (options.nodes ?? 1) > 1;
    const stack = new Stack(folder, await ScriptedModel.start(), {
      ...defaults,
      ownDatabase: several,
      redis: several,
      ...options,
    });
    try {
      await stack.#startAll();
    } catch (error) {
      await stack.stop();
      throw error;
    }
    return stack;
  }

  /** The REST routes of one node. */
  client(node = 0): Client {
    return new Client(`http://127.0.0.1:${this.#ports[node]}`, this.#token);
  }

  get token(): string {
    return this.#token;
  }

  urlOf(node = 0): string {
    return this.client(node).server;
  }

  droneAt(index = 0): StackDrone {
    const drone = this.drones[index];
    if (drone === undefined) {
      throw new Error(`There is no drone ${index}.`);
    }
    return drone;
  }

  nodeAt(index = 0): PartProcess {
    const node = this.nodes[index];
    if (node === undefined) {
      throw new Error(`There is no node ${index}.`);
    }
    return node;
  }

  async newSession(
    project: Project = this.droneAt().project,
    approval: ApprovalMode = "auto",
    model = "scripted",
  ): Promise<SessionId> {
    const providerId = this.#providerId;
    const { session } = await this.client().request("createSession", {
      params: { id: project.id },
      body: { approval, model, ...(providerId !== undefined && { providerId }) },
      signal: this.signal(),
    });
    return session.id;
  }

  /** A project of its own: turns of different projects don't wait for each other. */
  async newProject(drone: StackDrone): Promise<Project> {
    const directory = join(drone.folder, "projects", newId(TurnId));
    await mkdir(directory, { recursive: true });
    const { project } = await this.client().request("createProject", {
      body: { name: "Proof", droneId: drone.id, directory },
      signal: this.signal(),
    });
    return project;
  }

  /** A project whose first turn clones its workspace: the clone of its creation is cancelled. */
  async newClone(drone: StackDrone, gitUrl: string): Promise<Project> {
    const body = { name: "Clone", droneId: drone.id, gitUrl };
    const signal = this.signal();
    const { project } = await this.client().request("createProject", { body, signal });
    await this.client().request("cancelClone", { params: { id: project.id }, signal });
    return project;
  }

  async submit(
    sessionId: SessionId,
    prompt: string,
    { node = 0, turnId = newId(TurnId), runAnyway = true }: Submission = {},
  ): Promise<ChatTurn> {
    const { turn } = await this.client(node).request("submitTurn", {
      params: { id: sessionId },
      body: { prompt, turnId, runAnyway },
      signal: this.signal(),
    });
    return turn;
  }

  async cancel(id: TurnId, node = 0): Promise<ChatTurn> {
    const signal = this.signal();
    return (await this.client(node).request("cancelTurn", { params: { id }, signal })).turn;
  }

  async turn(id: TurnId, node = 0): Promise<ChatTurn> {
    const signal = this.signal();
    return (await this.client(node).request("getTurn", { params: { id }, signal })).turn;
  }

  events(id: TurnId, node = 0): Promise<TurnEvent[]> {
    return readEvents(this.client(node), id, 0, this.signal());
  }

  watch(id: TurnId, node = 0): TurnWatch {
    return new TurnWatch(() => this.client(node), id);
  }

  async settled(id: TurnId, node = 0): Promise<ChatTurn> {
    let last: ChatTurn | string = "";
    const settled = async () => {
      const turn = await this.turn(id, node).catch(String);
      last = turn;
      return typeof turn !== "string" && isSettled(turn.status) && turn;
    };
    return eventually(`turn ${id} settles`, settled, patienceMs).catch((error: unknown) => {
      throw new Error(`${String(error)}; last seen: ${JSON.stringify(last)}`);
    });
  }

  signal(): AbortSignal {
    return AbortSignal.timeout(patienceMs);
  }

  async stop(): Promise<void> {
    const processes = [
      ...this.drones.map((drone) => drone.process),
      ...this.nodes,
      ...(this.database === undefined ? [] : [this.database]),
      ...(this.redis === undefined ? [] : [this.redis]),
    ];
    for (const one of processes) {
      one.resume();
      await one.kill();
    }
    const ways = [...this.drones.map(({ proxy }) => proxy), this.databaseWay, this.redisWay];
    await Promise.all(ways.map(async (way) => way?.stop()));
    await this.model.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  get #env(): Record<string, string> {
    return { PATH: process.env["PATH"] ?? "", HOME: this.folder, ...this.#options.env };
  }

  async #startAll(): Promise<void> {
    if (this.database !== undefined) {
      [this.#databaseUri] = await this.database.start();
      this.databaseWay = await TcpProxy.start(() => Number(new URL(this.#databaseUri).port));
    }
    if (this.#options.redis) {
      await this.#addRedis();
    }
    for (let index = 0; index < this.#options.nodes; index += 1) {
      await this.#addNode(index);
    }
    await this.#signIn();
    const { provider } = await this.client().request("createProvider", {
      body: {
        name: "Scripted",
        kind: "openai",
        baseUrl: this.model.baseUrl,
        apiKey: "scripted-key",
        defaultModel: "scripted",
      },
      signal: this.signal(),
    });
    this.#providerId = provider.id;
    for (let index = 0; index < this.#options.drones; index += 1) {
      await this.#addDrone(index);
    }
  }

  async #addNode(index: number): Promise<void> {
    const node = new PartProcess(() => ({
      args: [join(root, "gadget-code/dist/server.mjs")],
      cwd: root,
      env: {
        GADGET_DATA_DIR: join(this.folder, "server"),
        GADGET_PORT: String(this.#ports[index] ?? 0),
        GADGET_OWNER_EMAIL: owner.email,
        GADGET_OWNER_PASSWORD: owner.password,
        GADGET_DRONE_GRACE: String(this.#options.graceSeconds),
        GADGET_LOG_LEVEL: "warn",
        ...(this.databaseWay !== undefined && {
          MONGODB_URI: `mongodb://127.0.0.1:${this.databaseWay.port}/gadget?directConnection=true`,
        }),
        ...(this.redisWay !== undefined && {
          REDIS_URL: `redis://127.0.0.1:${this.redisWay.port}`,
        }),
        ...this.#env,
      },
      ready: /ready: (http\S+)/,
    }));
    this.nodes.push(node);
    const [, url = ""] = await node.start();
    this.#ports[index] = Number(new URL(url).port);
  }

  async #addRedis(): Promise<void> {
    const port = await freePort();
    const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", ""];
    this.redis = new PartProcess(() => ({
      command: redisServer ?? "redis-server",
      args,
      cwd: this.folder,
      env: this.#env,
      ready: /Ready to accept connections/,
    }));
    await this.redis.start();
    this.redisWay = await TcpProxy.start(() => port);
  }

  async #addDrone(index: number): Promise<void> {
    const folder = join(this.folder, `drone-${index}`);
    await mkdir(join(folder, "projects"), { recursive: true });
    const node = index % this.#options.nodes;
    const proxy = await TcpProxy.start(() => this.#ports[this.drones[index]?.node ?? node] ?? 0);
    const signal = this.signal();
    const { code } = await this.client().request("createEnrollment", { signal });
    let enrolled = false;
    const process = new PartProcess(() => ({
      args: [
        join(root, "gadget-drone/dist/gadget-drone.mjs"),
        `--name=drone-${index}`,
        `--server=${proxy.url}`,
        `--data=${join(folder, "data")}`,
        `--capacity=${this.#options.capacity}`,
        ...(enrolled ? [] : ["--enroll", code]),
      ],
      cwd: root,
      env: { GADGET_ROOTS: folder, GADGET_LOG_LEVEL: "warn", ...this.#env },
      ready: /is online/,
    }));
    await process.start();
    enrolled = true;
    const { items } = await this.client().request("listDrones", { signal });
    const id = items.find(({ name }) => name === `drone-${index}`)?.id;
    if (id === undefined) {
      throw new Error("The drone is not in the list.");
    }
    const { project } = await this.client().request("createProject", {
      body: { name: `Proof ${index}`, droneId: id, directory: join(folder, "projects") },
      signal,
    });
    this.drones.push({ process, proxy, folder, id, project, node });
  }

  async #signIn(): Promise<void> {
    const signal = this.signal();
    const { headers } = await new Client(this.urlOf(), undefined).exchange("login", {
      body: owner,
      signal,
    });
    const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
    const { token } = await new Client(this.urlOf(), undefined).request("createToken", {
      body: { name: "proof" },
      headers: { cookie, origin: this.urlOf() },
      signal,
    });
    this.#token = token;
  }
}
