import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId, type Role, TokenId, UserId } from "@gadget/api";
import { pino } from "pino";
import { type App, type AppOptions, buildApp } from "../src/app.ts";
import { bearerHash, newBearer } from "../src/bearer.ts";
import { type Config, readConfig } from "../src/config.ts";
import { type Database, openDatabase } from "../src/database.ts";
import { type StoredUser, userToWire } from "../src/models/user.ts";
import { cookieName, signIn } from "../src/people/identity.ts";
import { hashPassword } from "../src/people/password.ts";
import { welcomeOwner } from "../src/people/welcome-owner.ts";
import { readSecretKey, type Secret, secretOf } from "../src/secret.ts";
import { Person } from "./person.ts";
import { testDatabase } from "./test-database.ts";

export const password = "correct horse battery";

export interface TestServer {
  url: string;
  /** Where it listens; `url` is what it is called, which may be a public name. */
  address: string;
  app: App;
  database: Database;
  config: Config;
  secret: Secret;
  /** Every line that the server has logged, at the level `trace`. */
  logs: string[];
  owner: Person;
  member: Person;
  /** One more member, with a name of their own. */
  join(name: string): Promise<Person>;
  stop(): Promise<void>;
}

interface ServerOptions extends Partial<Omit<AppOptions, "config" | "database" | "secret">> {
  env?: Record<string, string>;
  /** Undefined: with an owner and a member. */
  people?: "nobody";
}

/** The server in this process: real HTTP on a free port, and the embedded database in a folder of its own. */
export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const { env = {}, people, ...appOptions } = options;
  const dataDir = await mkdtemp(join(tmpdir(), "gadget-server-"));
  const base = { GADGET_DATA_DIR: dataDir, GADGET_PORT: "0", ...testDatabase() };
  const config = readConfig({ ...base, ...env });
  const database = await openDatabase(config);
  const secret = secretOf(await readSecretKey(config.secretKey, dataDir));
  const logs: string[] = [];
  const log = pino({ level: "trace" }, { write: (line: string) => void logs.push(line) });
  const app = buildApp({
    config,
    database,
    secret,
    log,
    version: "0.0.0-test",
    page: join(dataDir, "page"),
    ...appOptions,
  });
  const { models } = database;
  const passwordHash = await hashPassword(password);
  const url = await app.listen();

  const enter = async (name: string, role: Role): Promise<Person> => {
    const user: StoredUser = {
      _id: newId(UserId),
      email: `${name.toLowerCase()}@example.com`,
      name,
      role,
      passwordHash,
      createdAt: new Date(),
    };
    await models.users.create([user]);
    if (role === "owner") {
      await welcomeOwner(app.context, user);
    }
    const token = newBearer("gadget");
    const now = new Date();
    const stored = { _id: newId(TokenId), owner: user._id, name: "test", createdAt: now };
    await models.apiTokens.create([{ ...stored, hash: bearerHash(token) }]);
    const cookie = `${cookieName}=${await signIn(models, user._id, now)}`;
    return new Person(url, userToWire(user), token, cookie);
  };
  const nobody = new Person(
    url,
    {
      id: newId(UserId),
      email: "nobody@example.com",
      name: "Nobody",
      role: "member",
      createdAt: new Date(0).toISOString(),
    },
    "",
    "",
  );
  return {
    url,
    address: app.address(),
    app,
    database,
    config,
    secret,
    logs,
    owner: people === "nobody" ? nobody : await enter("Olive", "owner"),
    member: people === "nobody" ? nobody : await enter("Mika", "member"),
    join: (name) => enter(name, "member"),
    async stop() {
      await app.close();
      await database.connection.dropDatabase();
      await database.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
