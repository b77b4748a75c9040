import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChatTurn, Project, TurnStatus } from "@gadget/api";
import { Client } from "../../src/client.ts";
import { readCredentials } from "../../src/credentials.ts";
import { buildBundles, root } from "./build.ts";
import { Child, type Ended } from "./child.ts";
import { onTerminal } from "./fake-terminal.ts";

const email = "ada@example.com";
const password = "correct horse battery";

interface GadgetOptions {
  cwd?: string;
  env?: Record<string, string>;
  input?: string;
}

/** A real server and a real drone in folders of their own, and `gadget` signed in at them. */
export class Stack {
  readonly folder: string;
  /** The project's folder on the drone; `gadget` is called in it. */
  readonly workspace: string;
  readonly env: Record<string, string>;
  url = "";
  client = new Client("http://127.0.0.1:1", undefined);
  #project: Project | undefined;
  #server: Child | undefined;
  #drone: Child | undefined;

  private constructor(folder: string) {
    this.folder = folder;
    this.workspace = join(folder, "workspace");
    this.env = {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, "config"),
    };
  }

  static async start(): Promise<Stack> {
    await buildBundles();
    const stack = new Stack(await realpath(await mkdtemp(join(tmpdir(), "gadget-cli-"))));
    await mkdir(join(stack.workspace, "src"), { recursive: true });
    await stack.startServer();
    await stack.#login();
    await stack.startDrone();
    const { project } = await stack.client.request("createProject", {
      body: { name: "Website", directory: stack.workspace },
      signal: AbortSignal.timeout(10_000),
    });
    stack.#project = project;
    return stack;
  }

  get project(): Project {
    if (this.#project === undefined) {
      throw new Error("The stack has not started.");
    }
    return this.#project;
  }

  /** Again on the same port, once it has had one. */
  async startServer(): Promise<void> {
    const env = {
      ...this.env,
      GADGET_DATA_DIR: join(this.folder, "server"),
      GADGET_PORT: this.url === "" ? "0" : new URL(this.url).port,
      GADGET_OWNER_EMAIL: email,
      GADGET_OWNER_PASSWORD: password,
      GADGET_ALLOWED_HOSTS: "gadget.test",
      GADGET_LOG_LEVEL: "warn",
    };
    const args = [join(root, "gadget-code/dist/server.mjs")];
    this.#server = new Child({ args, cwd: root, env });
    await this.#server.until(/ready: http\S+/);
    this.url = /ready: (http\S+)/.exec(this.#server.stdout)?.[1] ?? "";
  }

  async stopServer(): Promise<void> {
    await this.#server?.stop();
  }

  /** The first time it enrols; later it has its credential. */
  async startDrone(): Promise<void> {
    const signal = AbortSignal.timeout(10_000);
    const { code } = await this.client.request("createEnrollment", { signal });
    const data = join(this.folder, "drone");
    const enrolled = this.#drone !== undefined;
    this.#drone = new Child({
      args: [
        join(root, "gadget-drone/dist/gadget-drone.mjs"),
        "--name=workshop",
        `--server=${this.url}`,
        `--data=${data}`,
        ...(enrolled ? [] : ["--enroll", code]),
      ],
      cwd: root,
      env: { ...this.env, GADGET_ROOTS: this.workspace, GADGET_LOG_LEVEL: "warn" },
    });
    await this.#drone.until(/is online/);
  }

  async killDrone(): Promise<void> {
    await this.#drone?.stop("SIGKILL");
  }

  /** It can neither hear nor answer until it is resumed. */
  pauseDrone(): void {
    this.#drone?.process.kill("SIGSTOP");
  }

  resumeDrone(): void {
    this.#drone?.process.kill("SIGCONT");
  }

  pauseServer(): void {
    this.#server?.process.kill("SIGSTOP");
  }

  resumeServer(): void {
    this.#server?.process.kill("SIGCONT");
  }

  async stop(): Promise<void> {
    await this.#drone?.stop("SIGKILL");
    await this.#server?.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Starts `gadget`, without a terminal. */
  start(args: string[], { cwd = this.workspace, env = {}, input }: GadgetOptions = {}): Child {
    return new Child({
      args: [join(root, "packages/cli/dist/gadget.mjs"), ...args],
      cwd,
      env: { ...this.env, ...env },
      ...(input !== undefined && { input }),
    });
  }

  gadget(args: string[], options?: GadgetOptions): Promise<Ended> {
    return this.start(args, options).end();
  }

  /** Calls `gadget` with a person in front of it. */
  onTerminal(args: string[]): ReturnType<typeof onTerminal> {
    return onTerminal(args, { env: this.env, folder: this.workspace });
  }

  async turn(id: string): Promise<ChatTurn> {
    const turn = (await this.turns()).find((one) => one.id === id.trim());
    if (turn === undefined) {
      throw new Error(`There is no turn ${id}.`);
    }
    return turn;
  }

  /** Newest first. */
  async turns(): Promise<ChatTurn[]> {
    const signal = AbortSignal.timeout(10_000);
    return (await this.client.request("listTurns", { query: { limit: 200 }, signal })).items;
  }

  /** The newest turn. */
  async latest(): Promise<ChatTurn> {
    const [turn] = await this.turns();
    if (turn === undefined) {
      throw new Error("There is no turn.");
    }
    return turn;
  }

  /** Waits until a turn is in one of these states, or waits for this. */
  async untilTurn(id: string, wanted: (turn: ChatTurn) => boolean): Promise<ChatTurn> {
    const deadline = performance.now() + 20_000;
    for (;;) {
      const turn = await this.turn(id);
      if (wanted(turn)) {
        return turn;
      }
      if (performance.now() > deadline) {
        throw new Error(`The turn stays ${JSON.stringify(turn)}.`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  untilStatus(id: string, status: TurnStatus): Promise<ChatTurn> {
    return this.untilTurn(id, (turn) => turn.status === status);
  }

  async #login(): Promise<void> {
    const login = this.onTerminal(["login", "--server", this.url]);
    await login.until(/E-mail: /);
    login.type(`${email}\n`);
    await login.until(/Password: /);
    login.type(`${password}\n`);
    if ((await login.exitCode) !== 0) {
      throw new Error(login.screen());
    }
    const { tokens } = await readCredentials(this.env);
    this.client = new Client(this.url, tokens[this.url]);
  }
}
