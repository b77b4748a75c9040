import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type AbortAnswer,
  type AnswerOf,
  ask,
  type ClientToServerEvents,
  callRoute,
  type DroneId,
  ideCommands,
  ideNamespace,
  ideNotices,
  isSettled,
  type LooseCall,
  type Person,
  type ProviderId,
  type RouteName,
  requestOf,
  type ServerToClientEvents,
  subscribe,
  type TurnId,
  type WorkOrder,
} from "@gadget/api";
import { io, type Socket } from "socket.io-client";
import { z } from "zod";
import { OrderServer, type Orders } from "./order-server.ts";

type PageSocket = Socket<ServerToClientEvents<"ide">, ClientToServerEvents<"ide">>;

const main = fileURLToPath(new URL("../../../gadget-code/src/main.ts", import.meta.url));
const owner = { email: "owner@example.com", password: "correct horse battery" };
const Ready = z.object({ type: z.literal("ready"), url: z.string() });

/**
 * The real server as a process of its own, used as a page and a script use it. What a drone does is
 * seen through it: its events as they are published, its end as it is told.
 */
export class RealServer extends OrderServer {
  readonly url: string;
  readonly #process: ChildProcess;
  readonly #folder: string;
  #token = "";
  #owner: Person | undefined;
  #socket: PageSocket | undefined;
  #droneId: DroneId | undefined;
  readonly #providers = new Map<string, ProviderId>();
  readonly #sessions = new Set<string>();

  private constructor(url: string, child: ChildProcess, folder: string) {
    super();
    this.url = url;
    this.#process = child;
    this.#folder = folder;
  }

  static async start(): Promise<RealServer> {
    const folder = await mkdtemp(join(tmpdir(), "gadget-real-"));
    const child = spawn(process.execPath, ["--import", "tsx", main], {
      env: {
        PATH: process.env["PATH"],
        GADGET_DATA_DIR: folder,
        GADGET_PORT: "0",
        GADGET_OWNER_EMAIL: owner.email,
        GADGET_OWNER_PASSWORD: owner.password,
        GADGET_LOG_LEVEL: "error",
      },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const [message] = await once(child, "message");
    const server = new RealServer(Ready.parse(message).url, child, folder);
    await server.#signIn();
    return server;
  }

  get person(): Person {
    if (this.#owner === undefined) {
      throw new Error("Nobody is signed in");
    }
    return this.#owner;
  }

  /** A new drone; the orders from now on are for it. */
  async enrol(name: string) {
    const { code } = await this.#rest("createEnrollment", {});
    const body = { code, name, host: "test" };
    const { drone, credential } = await this.#rest("enrollDrone", { body });
    this.#droneId = drone.id;
    return { server: this.url, droneId: drone.id, credential };
  }

  async isOnline(): Promise<boolean> {
    const { items } = await this.#rest("listDrones", {});
    return items.some(({ id, status }) => id === this.#droneId && status === "online");
  }

  /** Its project, and its session unless that is an earlier order's. */
  async prepare(order: WorkOrder): Promise<void> {
    const { source, environment } = order.workspace;
    const place =
      source.kind === "directory"
        ? { directory: source.directory }
        : source.kind === "git"
          ? { gitUrl: source.gitUrl }
          : {};
    const droneId = this.#droneId;
    const { project } = await this.#rest("createProject", {
      body: { name: order.projectId, ...(droneId && { droneId }), ...place },
    });
    const params = { id: project.id };
    // A test's clone is that of its turn.
    if (source.kind === "git") {
      await this.#rest("cancelClone", { params });
    }
    if (environment.length > 0) {
      await this.#rest("updateProject", { params, body: { environment } });
    }
    const { approval, model } = order;
    const providerId = await this.#provider(order);
    const { session } = await this.#rest("createSession", {
      params,
      body: { providerId, model, approval },
    });
    order.projectId = project.id;
    order.sessionId = session.id;
    this.#sessions.add(session.id);
    await ask(this.#page, ideCommands, "joinSession", [{ sessionId: session.id }], 10_000);
  }

  async submit(order: WorkOrder): Promise<boolean> {
    if (!this.#sessions.has(order.sessionId)) {
      await this.prepare(order);
    }
    this.hold(order);
    const { turnId, sessionId, prompt } = order;
    await ask(this.#page, ideCommands, "submitPrompt", [{ turnId, sessionId, prompt }], 10_000);
    return true;
  }

  abort(turnId: TurnId): Promise<AbortAnswer> {
    return ask(this.#page, ideCommands, "abortWorkOrder", [turnId], 10_000);
  }

  async ask<Name extends keyof Orders>(
    name: Name,
    args: Parameters<Orders[Name]>,
  ): Promise<Awaited<ReturnType<Orders[Name]>>> {
    const asked = this.#asPeopleDo()[name];
    if (asked === undefined) {
      throw new Error(`Nobody can ask ${name} from outside of the server`);
    }
    return (await Reflect.apply(asked, undefined, args)) as never;
  }

  async stop(): Promise<void> {
    this.#socket?.disconnect();
    const exited = once(this.#process, "exit");
    this.#process.disconnect();
    await exited;
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #page(): PageSocket {
    if (this.#socket === undefined) {
      throw new Error("The page is not connected");
    }
    return this.#socket;
  }

  /** The orders that a person can bring about, by the way that a person has for it. */
  #asPeopleDo(): Partial<Orders> {
    const page = this.#page;
    return {
      answerQuestion: ({ by: _, ...answer }) =>
        ask(page, ideCommands, "answerQuestion", [answer], 10_000),
      answerApproval: ({ by: _, ...answer }) =>
        ask(page, ideCommands, "answerApproval", [answer], 10_000),
      deliverMessage: async ({ by: _, ...message }) => {
        await ask(page, ideCommands, "sendMessage", [message], 10_000);
        return {};
      },
      finishWorkOrder: (turn) => ask(page, ideCommands, "finishWorkOrder", [turn], 10_000),
      cancelTool: (call) => ask(page, ideCommands, "cancelTool", [call], 10_000),
      setApproval: async ({ turnId, approval }) => {
        const id = this.turns.get(turnId)?.order.sessionId;
        await this.#rest("updateSession", { params: { id: id ?? "" }, body: { approval } });
        return {};
      },
      turnDiff: ({ turnId }) => this.#rest("getDiff", { params: { id: turnId } }),
      undoTurn: ({ turnId, preview }) =>
        this.#rest("undoTurn", { params: { id: turnId }, body: { preview } }),
      listBackground: async ({ sessionId: id = "" }) => {
        const { items } = await this.#rest("listCommands", { params: { id } });
        return { commands: items };
      },
      stopBackground: ({ sessionId: id, commandId = "" }) =>
        this.#rest("stopCommand", { params: { id, commandId } }),
      listFolders: ({ path }) =>
        this.#rest("listFolders", { params: { id: this.#droneId ?? "" }, query: { path } }),
    };
  }

  async #signIn(): Promise<void> {
    const { path, headers: given, ...request } = requestOf("login", { body: owner });
    const login = await fetch(this.url + path, {
      ...request,
      headers: { ...given, origin: this.url },
    });
    const cookie = login.headers.getSetCookie().map((set) => set.split(";")[0]);
    const headers = { cookie: cookie.join("; "), origin: this.url };
    const { token } = await this.#rest("createToken", { body: { name: "test" }, headers });
    this.#token = token;
    const { user } = await this.#rest("me", {});
    this.#owner = { id: user.id, name: user.name };
    const socket: PageSocket = io(this.url + ideNamespace, {
      transports: ["websocket"],
      auth: { token },
    });
    this.#socket = socket;
    subscribe(
      socket,
      ideNotices,
      {
        turnEvents: ({ turnId, events }) => {
          for (const event of events) {
            // The first event and the last one are the server's own.
            const ends = event.type === "turn:changed" && isSettled(event.status);
            if (event.seq > 1 && !ends) {
              this.keep(turnId, event);
            }
          }
        },
        workOrderComplete: (turnId, success, message) => this.complete(turnId, success, message),
      },
      (event, error) => {
        throw new Error(`The page can't read ${event}`, { cause: error });
      },
    );
    await once(socket as unknown as NodeJS.EventEmitter, "connect");
  }

  async #provider({ provider }: WorkOrder): Promise<ProviderId> {
    const key = JSON.stringify(provider);
    const known = this.#providers.get(key);
    if (known !== undefined) {
      return known;
    }
    const { kind, baseUrl, apiKey } = provider;
    const body = { name: kind, kind, ...(baseUrl && { baseUrl }), ...(apiKey && { apiKey }) };
    const { provider: made } = await this.#rest("createProvider", { body });
    this.#providers.set(key, made.id);
    return made.id;
  }

  async #rest<Name extends RouteName>(
    name: Name,
    { headers, ...call }: LooseCall & { headers?: Record<string, string> },
  ): Promise<AnswerOf<Name>> {
    const own = headers ?? { authorization: `Bearer ${this.#token}` };
    const { answer } = await callRoute(name, call, ({ path, headers: given, ...request }) =>
      fetch(this.url + path, { ...request, headers: { ...given, ...own } }),
    );
    return answer;
  }
}
