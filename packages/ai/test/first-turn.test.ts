import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { refused, streamed } from "./scene.ts";
import { type Wire, wires } from "./wires.ts";

const run = promisify(execFile);
const program = fileURLToPath(new URL("ask-once.ts", import.meta.url));

describe.each(wires)("the start of a turn with $kind", (wire: Wire) => {
  let server: ModelServer;
  let folder: string;
  beforeEach(async () => {
    server = await startModelServer();
    folder = await mkdtemp(join(tmpdir(), "gadget-modules-"));
    const answer = streamed(wire, wire.text("Hi"), wire.finish(), wire.tail);
    server.play((received) =>
      (received.path === wire.chatPath ? answer : refused(200, wire.modelList("m")))(received),
    );
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  /** What a process of its own loaded from node_modules to do this, as V8 counts it. */
  async function packagesLoadedTo(task: "turn" | "list"): Promise<Set<string>> {
    const env = { ...process.env, NODE_V8_COVERAGE: folder };
    const args = ["--import", "tsx", program, wire.kind, server.url, task];
    const { stdout } = await run(process.execPath, args, { env });
    expect(stdout.trim()).toBe(task === "turn" ? "Hi" : "m");
    const loaded = new Set<string>();
    for (const file of await readdir(folder)) {
      const report = await readFile(join(folder, file), "utf8");
      for (const [, name] of report.matchAll(/\/node_modules\/((?:@[^/"]+\/)?[^/"]+)\//g)) {
        loaded.add(name ?? "");
      }
    }
    return loaded;
  }

  it("loads no SDK", async () => {
    const loaded = await packagesLoadedTo("turn");
    expect(loaded).toContain("zod");
    expect(loaded).not.toContain("openai");
    expect(loaded).not.toContain("ollama");
  });

  it("loads its own SDK to list models", async () => {
    const other = wire.kind === "openai" ? "ollama" : "openai";
    const loaded = await packagesLoadedTo("list");
    expect(loaded).toContain(wire.kind);
    expect(loaded).not.toContain(other);
  });
});
