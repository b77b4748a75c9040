import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { isAlive } from "../build/with-lock.mjs";
import { newSignals } from "./echoed-signals.mjs";
import { runCommand } from "./run-command.mjs";

async function isRunning(pid: number) {
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return isAlive(pid) && !/\) Z /.test(status);
}

async function until(condition: () => Promise<boolean>) {
  const deadline = performance.now() + 10_000;
  while (!(await condition())) {
    if (performance.now() > deadline) {
      throw new Error("it never happened");
    }
    await sleep(10);
  }
}

describe("runCommand", () => {
  it("keeps what the command wrote and its exit code", async () => {
    const result = await runCommand("sh", ["-c", "echo out; echo err >&2; exit 3"]);
    expect(result).toMatchObject({ code: 3, stdout: "out\n" });
    expect(result.output).toContain("err\n");
  });

  it("leaves no member of the command's group behind", async () => {
    const { stdout } = await runCommand("sh", ["-c", "sleep 60 >/dev/null 2>&1 & echo $!"]);
    await until(async () => !(await isRunning(Number(stdout))));
  });

  it("ends the commands when the script is interrupted", async () => {
    const module = JSON.stringify(new URL("./run-command.mjs", import.meta.url).href);
    const code = `
      import { runCommand } from ${module};
      await runCommand("sh", ["-c", "sleep 60 & echo $! $$; wait"], { show: process.stdout });
      process.stdout.write("went on");
    `;
    const script = spawn(process.execPath, ["--input-type=module", "-e", code], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    script.stdout.on("data", (text) => (output += String(text)));
    await until(async () => /\d+ \d+\n/.test(output));
    const pids = output.trim().split(" ").map(Number);
    const exit = new Promise((resolve) => script.on("close", resolve));
    script.kill("SIGINT");
    expect(await exit).toBe(130);
    expect(output).not.toContain("went on");
    for (const pid of pids) {
      await until(async () => !(await isRunning(pid)));
    }
  });
});

describe("newSignals", () => {
  it("takes a signal right after another one for its echo", () => {
    let now = 1000;
    const isNew = newSignals(() => now);
    const answers = [0, 20, 400, 410].map((delay) => {
      now = 1000 + delay;
      return isNew();
    });
    expect(answers).toEqual([true, false, true, false]);
  });
});
