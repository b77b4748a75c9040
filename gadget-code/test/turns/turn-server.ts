import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AnswerOf,
  type ChatTurn,
  pathOf,
  type RouteName,
  routes,
  type SessionId,
  type TurnEvent,
  type TurnId,
} from "@gadget/api";
import { pino } from "pino";
import { type App, buildApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { openDatabase } from "../../src/database.ts";
import { openBroker } from "../../src/lib/broker.ts";
import { createOwner } from "../../src/people/owner.ts";
import { welcomeOwner } from "../../src/people/welcome-owner.ts";
import { secretOf } from "../../src/secret.ts";
import { testDatabase } from "../test-database.ts";
import { ScriptedDrone } from "./scripted-drone.ts";

interface Sent {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: object;
}

export interface Answer<Name extends RouteName> {
  status: number;
  body: AnswerOf<Name>;
  /** The refusal's code, where it was refused. */
  code: string | undefined;
}

/** A real server on a real (embedded) database, spoken to over HTTP; its drones are scripted. */
export class TurnServer {
  readonly app: App;
  readonly url: string;
  readonly token: string;
  readonly #close: () => Promise<void>;

  private constructor(app: App, url: string, token: string, close: () => Promise<void>) {
    this.app = app;
    this.url = url;
    this.token = token;
    this.#close = close;
  }

  static async start(env: Record<string, string> = {}): Promise<TurnServer> {
    const { app, database, end } = await openApp(env);
    const account = { email: "owner@example.com", name: "Olive", password: "long enough" };
    const owner = await createOwner(database.models, account, new Date());
    await welcomeOwner(app.context, owner);
    const url = await app.listen();
    const headers = { "content-type": "application/json" };
    const login = await fetch(`${url}/api/v1/auth/login`, {
      method: "POST",
      headers,
      body: JSON.stringify({ email: account.email, password: account.password }),
    });
    const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
    const made = await fetch(`${url}/api/v1/tokens`, {
      method: "POST",
      headers: { ...headers, cookie, origin: url },
      body: JSON.stringify({ name: "test" }),
    });
    const { token } = (await made.json()) as { token: string };
    return new TurnServer(app, url, token, async () => {
      await app.close();
      await database.connection.dropDatabase();
      await end();
    });
  }

  /** Another node on the same database: one beside the first, or one that follows it. */
  static async again(env: Record<string, string>, { token }: TurnServer): Promise<TurnServer> {
    const { app, end } = await openApp(env);
    const url = await app.listen();
    return new TurnServer(app, url, token, async () => {
      await app.close();
      await end();
    });
  }

  close(): Promise<void> {
    return this.#close();
  }

  async call<Name extends RouteName>(name: Name, sent: Sent = {}): Promise<Answer<Name>> {
    const { method, path } = routes[name];
    const query = new URLSearchParams(sent.query).toString();
    const response = await fetch(
      `${this.url}${pathOf(path, sent.params ?? {})}${query && `?${query}`}`,
      {
        method,
        headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json" },
        ...(sent.body && { body: JSON.stringify(sent.body) }),
      },
    );
    const body = (await response.json()) as AnswerOf<Name> & { error?: { code: string } };
    return { status: response.status, body, code: body.error?.code };
  }

  /** A drone that is enrolled, but not yet connected. */
  async newDrone(): Promise<ScriptedDrone> {
    const { body: enrollment } = await this.call("createEnrollment");
    const { body } = await this.call("enrollDrone", {
      body: { code: enrollment.code, name: "scripted", host: "test" },
    });
    return new ScriptedDrone(this.url, body.drone.id, body.credential);
  }

  async newSession(droneId: string): Promise<SessionId> {
    const { body: made } = await this.call("createProject", { body: { name: "p", droneId } });
    const { body } = await this.call("createSession", {
      params: { id: made.project.id },
      body: { approval: "auto" },
    });
    return body.session.id;
  }

  async submit(sessionId: SessionId, prompt = "hello"): Promise<ChatTurn> {
    const { body } = await this.call("submitTurn", { params: { id: sessionId }, body: { prompt } });
    return body.turn;
  }

  async turn(id: TurnId): Promise<ChatTurn> {
    return (await this.call("getTurn", { params: { id } })).body.turn;
  }

  async events(id: TurnId, after = 0): Promise<TurnEvent[]> {
    const query = { after: String(after) };
    return (await this.call("listEvents", { params: { id }, query })).body.items;
  }

  cancel(id: TurnId, force = false) {
    return this.call("cancelTurn", { params: { id }, query: force ? { force: "true" } : {} });
  }
}

async function openApp(env: Record<string, string>) {
  const dataDir = await mkdtemp(join(tmpdir(), "gadget-turns-"));
  const base = { GADGET_DATA_DIR: dataDir, GADGET_PORT: "0", ...testDatabase() };
  const config = readConfig({ ...base, ...env });
  const database = await openDatabase(config);
  const log = pino({ level: "silent" });
  const { redisUrl } = config;
  const broker = redisUrl === undefined ? undefined : await openBroker(redisUrl, log);
  const app = buildApp({
    config,
    database,
    secret: secretOf(new Uint8Array(32)),
    log,
    version: "0.0.0",
    page: dataDir,
    helloMs: 100,
    broker,
  });
  const end = async (): Promise<void> => {
    await broker?.close();
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { app, database, end };
}
