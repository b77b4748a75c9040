import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { AsideFiles } from "./aside-files.ts";
import { readWhole, writeWhole } from "./files.ts";

let folder: string;
let workspace: string;
let asides: AsideFiles;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "gadget-files-")));
  workspace = join(folder, "inside");
  asides = new AsideFiles(join(folder, "data"));
  await mkdir(workspace);
});
afterEach(() => rm(folder, { recursive: true, maxRetries: 5 }));

it("makes the folders that a file needs, and says which part is none", async () => {
  await writeWhole(workspace, "a/b/c.txt", { bytes: "text" }, asides);
  expect(await readFile(join(workspace, "a/b/c.txt"), "utf8")).toBe("text");
  const through = writeWhole(workspace, "a/b/c.txt/d/e", { bytes: "" }, asides);
  await expect(through).rejects.toThrow(/a file, not a folder/);
});

it("a file is read as it was when it was opened, however fast it grows", async () => {
  await writeFile(join(workspace, "log"), "x".repeat(1_000_000));
  const growing = spawn("sh", ["-c", `while :; do echo more >> "${workspace}/log"; done`]);
  await once(growing, "spawn");
  const read = await readWhole(workspace, "log", 50_000_000);
  growing.kill("SIGKILL");
  await once(growing, "exit");
  expect(read?.bytes.subarray(0, 10).toString()).toBe("xxxxxxxxxx");
});

it.runIf(process.platform === "linux")(
  "makes no folder outside when a part of the way becomes a link at any moment",
  async () => {
    const outside = join(folder, "outside");
    await mkdir(outside);
    for (let moment = 0; moment < 300; moment++) {
      const part = `part-${moment}`;
      const writing = writeWhole(workspace, `${part}/deep/file`, { bytes: "" }, asides);
      const written = writing.then(
        () => true,
        () => false,
      );
      const begun = performance.now();
      while (performance.now() - begun < moment / 100) {
        await setImmediate();
      }
      await symlink(outside, join(workspace, part)).catch(() => {});
      await written;
    }
    expect(await readdir(outside)).toEqual([]);
  },
);
