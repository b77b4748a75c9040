import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createGunzip } from "node:zlib";

/** So many that git tells how far it is with receiving them. */
const files = 200;
const fileBytes = 2_500;

/** A git repository over http, whose packs come as slowly as a test likes. */
export class SlowGitServer {
  /** Bytes a second; 0: not one comes. */
  bytesPerSecond = Number.POSITIVE_INFINITY;
  requests = 0;
  readonly #folder: string;
  readonly #http: Server;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#http = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<SlowGitServer> {
    const folder = await mkdtemp(join(tmpdir(), "gadget-git-server-"));
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], {
        cwd: folder,
        stdio: "ignore",
      });
    git("init", "-b", "main", ".");
    for (let index = 0; index < files; index++) {
      await writeFile(join(folder, `file-${index}`), randomBytes(fileBytes));
    }
    await mkdir(join(folder, "src"));
    await writeFile(join(folder, "src/hello.txt"), "hello\n");
    git("add", ".");
    git("commit", "-m", "All of it");
    const server = new SlowGitServer(folder);
    server.#http.listen(0, "127.0.0.1");
    await once(server.#http, "listening");
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/big.git`;
  }

  async stop(): Promise<void> {
    this.#http.closeAllConnections();
    this.#http.close();
    await once(this.#http, "close");
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests++;
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const isPack = pathname.endsWith("/git-upload-pack");
    const kind = isPack ? "result" : "advertisement";
    response.writeHead(200, { "content-type": `application/x-git-upload-pack-${kind}` });
    response.flushHeaders();
    if (!isPack) {
      response.write("001e# service=git-upload-pack\n0000");
    }
    const args = ["--stateless-rpc", ...(isPack ? [] : ["--advertise-refs"]), this.#folder];
    const git = spawn("git", ["upload-pack", ...args], { stdio: ["pipe", "pipe", "ignore"] });
    response.once("close", () => git.kill("SIGKILL"));
    git.stdin.on("error", () => {});
    const packed = request.headers["content-encoding"] === "gzip";
    if (isPack) {
      (packed ? request.pipe(createGunzip()) : request).pipe(git.stdin);
    }
    for await (const chunk of git.stdout) {
      await this.#write(response, chunk as Buffer);
    }
    response.end();
  }

  async #write(response: ServerResponse, chunk: Buffer): Promise<void> {
    const tickMs = 20;
    for (let sent = 0; sent < chunk.length && !response.destroyed; ) {
      if (this.bytesPerSecond === Number.POSITIVE_INFINITY) {
        response.write(chunk.subarray(sent));
        return;
      }
      const size = Math.ceil((this.bytesPerSecond * tickMs) / 1_000);
      if (size > 0) {
        response.write(chunk.subarray(sent, sent + size));
      }
      sent += size;
      await delay(tickMs);
    }
  }
}
