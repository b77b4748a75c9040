import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lockDataFolder } from "./lock-data-folder.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gadget-lock-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** The words of a lock that this process would be held by. */
async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  return `${pid} ${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]}`;
}

describe("lockDataFolder", () => {
  it("is free again after its release", async () => {
    const release = await lockDataFolder(folder);
    await release();
    const again = await lockDataFolder(folder);
    expect(await readFile(join(folder, "drone.lock"), "utf8")).toBe(await startOf(process.pid));
    await again();
  });

  it("is refused while another process holds it, and not after that one's death", async () => {
    const other = spawn("sleep", ["60"]);
    const pid = other.pid ?? 0;
    await writeFile(join(folder, "drone.lock"), await startOf(pid));
    await expect(lockDataFolder(folder)).rejects.toThrow(/running already \(process \d+\)/);
    other.kill("SIGKILL");
    await once(other, "exit");
    const release = await lockDataFolder(folder);
    await release();
  });

  it("a process with the same number that started later does not hold it", async () => {
    await writeFile(join(folder, "drone.lock"), `${process.ppid} 1`);
    const release = await lockDataFolder(folder);
    expect(await readFile(join(folder, "drone.lock"), "utf8")).toContain(String(process.pid));
    await release();
  });
});
