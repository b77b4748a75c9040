import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Child } from "./nodes/child.ts";
import { Person, sendRoute } from "./person.ts";
import { testDatabase } from "./test-database.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const email = "olive@example.com";
const password = "correct horse battery";

/** The server as it is started for people, in a process of its own, with an owner and a member. */
export class ServerProcess {
  readonly url: string;
  readonly #child: Child;
  readonly #folder: string;
  readonly #people: Person[] = [];
  #watch: NodeJS.Timeout | undefined;
  /** The most memory that the process was seen to hold, in bytes. */
  mostMemory = 0;

  private constructor(url: string, child: Child, folder: string) {
    this.url = url;
    this.#child = child;
    this.#folder = folder;
  }

  static async start(): Promise<ServerProcess> {
    const build = [join(root, "scripts/build.mjs"), "server"];
    await promisify(execFile)(process.execPath, build, { cwd: root });
    const folder = await mkdtemp(join(tmpdir(), "gadget-process-"));
    const env = {
      GADGET_DATA_DIR: folder,
      GADGET_PORT: "0",
      GADGET_OWNER_EMAIL: email,
      GADGET_OWNER_PASSWORD: password,
      GADGET_LOG_LEVEL: "warn",
      ...testDatabase(),
    };
    const main = join(root, "gadget-code/dist/server.mjs");
    const child = new Child(process.execPath, [main], env, /ready: (\S+)/);
    const [, url = ""] = await child.ready;
    const server = new ServerProcess(url, child, folder);
    await server.#letIn();
    return server;
  }

  get owner(): Person {
    return this.#person(0);
  }

  get member(): Person {
    return this.#person(1);
  }

  get isAlive(): boolean {
    return this.#child.process.exitCode === null && this.#child.process.signalCode === null;
  }

  watchMemory(): void {
    this.#watch = setInterval(() => void this.#look(), 50);
  }

  async stop(): Promise<void> {
    clearInterval(this.#watch);
    await this.#child.end("SIGTERM");
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #look(): Promise<void> {
    const status = await readFile(`/proc/${this.#child.process.pid}/status`, "utf8").catch(
      () => "",
    );
    const memory = Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1_024;
    this.mostMemory = Math.max(this.mostMemory, memory);
  }

  #person(index: number): Person {
    const person = this.#people[index];
    if (person === undefined) {
      throw new Error("Nobody is in yet.");
    }
    return person;
  }

  async #letIn(): Promise<void> {
    const owner = await this.#enter(
      await sendRoute(this.url, "login", { body: { email, password } }),
    );
    this.#people.push(owner);
    const { invitation } = await owner.ask("inviteMember", { body: { email: "m@example.com" } });
    const code = /code=([^&]+)/.exec(invitation.url)?.[1] ?? "";
    const accepted = await sendRoute(this.url, "acceptInvitation", {
      body: { code, name: "Mika", password },
    });
    this.#people.push(await this.#enter(accepted));
  }

  async #enter(response: Response): Promise<Person> {
    const cookie = response.headers.get("set-cookie")?.split(";")[0] ?? "";
    const { user } = (await response.json()) as { user: Person["user"] };
    const headers = { cookie, origin: this.url };
    const made = await sendRoute(this.url, "createToken", { body: { name: "test" }, headers });
    const { token } = (await made.json()) as { token: string };
    return new Person(this.url, user, token, cookie);
  }
}

/** Asks for oneself, again and again, until `attack` is over; gives how long each answer took. */
export async function meanwhile(person: Person, attack: Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  const state = { over: false };
  const end = (): void => {
    state.over = true;
  };
  attack.then(end, end);
  while (!state.over) {
    const begun = performance.now();
    // A kept connection may be closed in the moment in which it is used: once more, as browsers do.
    await person.ask("me").catch(() => person.ask("me"));
    took.push(performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await attack;
  return took;
}
