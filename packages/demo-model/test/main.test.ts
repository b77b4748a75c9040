import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { eventually } from "@gadget/testing/eventually";
import { describe, expect, it, onTestFinished } from "vitest";
import { startDemoModel } from "../src/index.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

function run(...args: string[]) {
  const child = spawn(process.execPath, ["--import", "tsx", main, ...args]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const seen = { stdout: "", stderr: "" };
  child.stdout.on("data", (data: Buffer) => {
    seen.stdout += data.toString();
  });
  child.stderr.on("data", (data: Buffer) => {
    seen.stderr += data.toString();
  });
  return { child, seen };
}

describe("the command line", () => {
  // The next token is due in 1000 s: a timer that outlived its request would keep the process.
  it.each(["SIGTERM", "SIGINT"] as const)("prints its URL and ends on %s", async (signal) => {
    const { child, seen } = run("--port", "0", "--key", "k", "--tokens-per-second", "0.001");
    await eventually("it is ready", () => seen.stdout.includes("\n"), 20_000);
    const url = /http:\/\/127\.0\.0\.1:\d+\/v1/.exec(seen.stdout)?.[0];
    const response = await fetch(`${url}/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer k" },
      body: JSON.stringify({
        model: "demo",
        stream: true,
        messages: [{ role: "user", content: "long story" }],
      }),
    });
    expect(response.status).toBe(200);
    child.kill(signal);
    await expect(response.text()).rejects.toThrow(/terminated/);
    const [code] = await once(child, "close");
    expect(code).toBe(0);
    expect(seen.stdout.trim().split("\n")).toHaveLength(1);
    expect(seen.stderr).toBe("");
  });

  it.each([
    ["no port", [], /--port N/],
    ["a bad port", ["--port", "http"], /--port must be/],
    ["a bad speed", ["--port", "0", "--tokens-per-second", "0"], /--tokens-per-second must be/],
    ["an unknown option", ["--prot", "0"], /--prot.*--help/],
  ])("says in one sentence what is wrong: %s", async (_, args, words) => {
    const { child, seen } = run(...args);
    const [code] = await once(child, "close");
    expect(code).toBe(1);
    expect(seen.stderr).toMatch(words);
    expect(seen.stderr.trim().split("\n")).toHaveLength(1);
  });

  it("says that a port is in use", async () => {
    const model = await startDemoModel();
    const { child, seen } = run("--port", new URL(model.baseUrl).port);
    const [code] = await once(child, "close");
    expect(code).toBe(1);
    expect(seen.stderr).toBe("The port is in use; choose another one with --port N.\n");
    await model.close();
  });

  it("has a help text", async () => {
    const { child, seen } = run("--help");
    const [code] = await once(child, "close");
    expect(code).toBe(0);
    expect(seen.stdout).toContain("--tokens-per-second");
  });
});
