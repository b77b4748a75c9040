import { spawnSync } from "node:child_process";
import { existsSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixtureTree } from "../fixture-tree.ts";
import { root as repository } from "../shared/root.mjs";
import { bundlePart } from "./bundle-part.mjs";

function tree(files: Record<string, string>) {
  const root = fixtureTree({
    "gadget-drone/package.json": '{ "version": "4.5.6" }',
    "gadget-code/package.json": '{ "version": "4.5.6" }',
    "packages/embedded-mongo/src/worker.ts": "",
    ...files,
  });
  symlinkSync(join(repository, "node_modules"), join(root, "node_modules"));
  return root;
}

const run = (root: string, file: string) =>
  spawnSync(process.execPath, [join(root, file)], { encoding: "utf8", timeout: 15_000 });

describe("bundlePart", () => {
  it("makes one file that runs by name, knows its version and has its assets beside it", async () => {
    const root = tree({
      "gadget-drone/src/main.ts":
        'import { text } from "./text.ts";\n\nprocess.stdout.write(text satisfies string);\n',
      "gadget-drone/src/text.ts": `export const text = "version " + process.env.GADGET_VERSION;\n`,
      "gadget-drone/src/process/supervisor.pl": "1;\n",
      "gadget-drone/src/process/other.ts": "export {};\n",
    });
    await bundlePart(root, "drone");
    const file = "gadget-drone/dist/gadget-drone.mjs";
    expect(spawnSync(join(root, file), { encoding: "utf8" }).stdout).toBe("version 4.5.6");
    expect(statSync(join(root, file)).mode & 0o111).toBe(0o111);
    expect(existsSync(join(root, "gadget-drone/dist/supervisor.pl"))).toBe(true);
    expect(existsSync(join(root, "gadget-drone/dist/other.ts"))).toBe(false);
  });

  it("bundles the server's libraries so that they start", async () => {
    const root = tree({
      "gadget-code/src/main.ts": `
        import { createServer } from "node:http";
        import express from "express";
        import mongoose from "mongoose";
        import { pino } from "pino";
        import { Server } from "socket.io";
        const app = express();
        app.get("/healthz", (_request, response) => void response.send("ok"));
        const http = createServer(app);
        const io = new Server(http, { transports: ["websocket"] });
        http.listen(0, "127.0.0.1", async () => {
          const { port } = http.address() as { port: number };
          const health = await fetch("http://127.0.0.1:" + port + "/healthz");
          // The driver tries its optional modules, which are not installed.
          const failed = await mongoose
            .connect("mongodb://127.0.0.1:1/x", { serverSelectionTimeoutMS: 50 })
            .catch((error: Error) => error.name);
          pino({ base: null, timestamp: false }).info({ health: await health.text(), failed });
          await io.close();
        });
      `,
    });
    await bundlePart(root, "server");
    const { stdout, stderr } = run(root, "gadget-code/dist/server.mjs");
    expect(stderr).toBe("");
    expect(stdout).toBe('{"level":30,"health":"ok","failed":"MongooseServerSelectionError"}\n');
  });

  it("leaves native modules where they are installed", async () => {
    const root = tree({
      "gadget-code/src/main.ts": "",
      "packages/embedded-mongo/src/worker.ts": `
        import { open } from "lmdb";
        const db = open({ path: process.argv[1] + ".data", noSubdir: true });
        await db.put("a", { b: 1 });
        process.stdout.write(JSON.stringify(db.get("a")));
        await db.close();
      `,
    });
    await bundlePart(root, "server");
    expect(run(root, "gadget-code/dist/embedded-mongo-worker.mjs").stdout).toBe('{"b":1}');
  });

  it("fails when the source imports what is not there", async () => {
    const root = tree({ "gadget-drone/src/main.ts": 'import "not-installed";\n' });
    await expect(bundlePart(root, "drone")).rejects.toThrow("not-installed");
    expect(existsSync(join(root, "gadget-drone/dist/gadget-drone.mjs"))).toBe(false);
  });
});
