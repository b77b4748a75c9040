import { once } from "node:events";
import { existsSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { delimiter, join } from "node:path";
import { Child } from "./child.ts";

const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
/** `npm test` installs it where it can (scripts/testing). */
export const redisServer = folders
  .map((folder) => join(folder, "redis-server"))
  .find((path) => existsSync(path));
if (redisServer === undefined) {
  process.stderr.write(
    "\n*** SKIPPED: the tests of two nodes need redis-server. Install it, and run them again. ***\n\n",
  );
}

/** A Redis of the test's own, which can be restarted at the same address. It keeps nothing. */
export class Redis {
  readonly #port: number;
  #child: Child | undefined;

  private constructor(port: number) {
    this.#port = port;
  }

  static async start(): Promise<Redis> {
    const redis = new Redis(await freePort());
    await redis.up();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#port}`;
  }

  async up(): Promise<void> {
    const args = ["--port", String(this.#port), "--bind", "127.0.0.1", "--save", ""];
    this.#child = new Child(redisServer ?? "", args, {}, /Ready to accept connections/);
    await this.#child.ready;
  }

  async down(): Promise<void> {
    await this.#child?.end();
  }
}

/** A port that nobody listens on now. */
export async function freePort(): Promise<number> {
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address() as AddressInfo;
  free.close();
  await once(free, "close");
  return port;
}
