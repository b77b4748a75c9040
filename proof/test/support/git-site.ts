import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const answerMs = 80;

/** A small repository behind a slow web server, so that a clone has a middle. */
export class GitSite {
  readonly #server: Server;
  readonly #folder: string;

  private constructor(server: Server, folder: string) {
    this.#server = server;
    this.#folder = folder;
  }

  static async start(): Promise<GitSite> {
    const folder = await mkdtemp(join(tmpdir(), "gadget-site-"));
    const git = (...args: string[]) => execFileSync("git", args, { cwd: folder });
    await mkdir(join(folder, "notes"));
    await writeFile(join(folder, "notes/a.txt"), "from the origin\n");
    git("init", "-q");
    git("add", ".");
    git("-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "-qm", "First");
    git("update-server-info");
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      await delay(answerMs);
      const path = decodeURIComponent((request.url ?? "").replace(/\?.*/, ""));
      const bytes = await readFile(join(folder, ".git", path)).catch(() => undefined);
      if (bytes === undefined) {
        response.writeHead(404).end();
      } else {
        response.end(bytes);
      }
    };
    const server = createServer((request, response) => void answer(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new GitSite(server, folder);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
