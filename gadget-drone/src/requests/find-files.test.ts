import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findFiles } from "./find-files.ts";

let workspace: string;
beforeAll(async () => {
  workspace = await realpath(await mkdtemp(join(tmpdir(), "gadget-find-")));
  const names = Array.from({ length: 2_000 }, (_, index) => `file-${index}`);
  await Promise.all(names.map((name) => writeFile(join(workspace, name), "")));
  await writeFile(join(workspace, ".gitignore"), `${"*a".repeat(20)}*b\n`.repeat(2_000));
});
afterAll(() => rm(workspace, { recursive: true }));

it("a search that nobody waits for any more ends in the middle of its walk", async () => {
  const leaving = new AbortController();
  const reason = new Error("left");
  const search = findFiles(workspace, "file", leaving.signal);
  setImmediate(() => leaving.abort(reason));
  await expect(search).rejects.toBe(reason);
});
