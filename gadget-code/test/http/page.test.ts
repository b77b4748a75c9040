import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../server.ts";

const script = "export const n = 1;\n".repeat(500);
let folder: string;
let server: TestServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gadget-page-"));
  const page = join(folder, "page");
  await mkdir(join(page, "assets"), { recursive: true });
  await writeFile(join(page, "assets/app-1a2b.js"), script);
  await writeFile(join(page, "index.html"), "<!doctype html><title>The page</title>");
  await writeFile(join(folder, "secret.js"), "const outside = true;");
  server = await startServer({ page });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Not by fetch: that one decompresses by itself, and tidies paths. */
async function get(path: string, coding: string) {
  const { hostname, port } = new URL(server.url);
  const headers = { "accept-encoding": coding };
  return new Promise<{ status: number; headers: object; body: Buffer }>((resolve, reject) => {
    request({ hostname, port, path, headers }, (response) => {
      const { statusCode: status = 0, headers: got } = response;
      buffer(response).then((body) => resolve({ status, headers: got, body }), reject);
    })
      .on("error", reject)
      .end();
  });
}

describe("the page's files", () => {
  it("come compressed as the browser can read it, and for ever", async () => {
    const br = await get("/assets/app-1a2b.js", "gzip, br");
    expect(br.headers).toMatchObject({
      "content-encoding": "br",
      "content-type": expect.stringContaining("javascript") as string,
      "cache-control": expect.stringContaining("immutable") as string,
      vary: expect.stringContaining("Accept-Encoding") as string,
    });
    expect(br.body.length).toBeLessThan(script.length / 5);
    expect(brotliDecompressSync(br.body).toString()).toBe(script);
    const gzip = await get("/assets/app-1a2b.js", "gzip");
    expect(gunzipSync(gzip.body).toString()).toBe(script);
  });

  it("come as they are to whom can't read that", async () => {
    const plain = await get("/assets/app-1a2b.js", "identity");
    expect(plain.headers).not.toHaveProperty("content-encoding");
    expect(plain.body.toString()).toBe(script);
  });

  it("are only those of the page", async () => {
    for (const path of [
      "/assets/none.js",
      "/assets/..%2F..%2Fsecret.js",
      "/assets/../../secret.js",
    ]) {
      const { body } = await get(path, "br");
      expect(body.toString()).not.toContain("outside");
    }
    const { body } = await get("/assets/none.js", "br");
    expect(body.toString()).toContain("The page");
  });
});
