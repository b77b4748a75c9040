import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Stack } from "./support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start();
});
afterAll(() => stack.stop());

describe("gadget run", () => {
  it("prints what the agent says and ends with 0 when the turn has finished", async () => {
    const { code, stdout, stderr } = await stack.gadget(["run", "hello fast"]);
    expect(code).toBe(0);
    expect(stdout).toContain("I am a script, not an AI");
    expect(stdout).toMatch(/\n✓ finished after .* · \d+ tokens in, \d+ out\n$/);
    expect(stdout).not.toContain("\u001B");
    expect(stderr).toContain(`${stack.url}/sessions/`);
    expect(await stack.latest()).toMatchObject({ status: "finished", prompt: "hello fast" });
  });

  it("shows tool calls, their results and the files that changed", async () => {
    const { code, stdout } = await stack.gadget(["run", "write a file, fast"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/→ write_file notes\/hello\.md/);
    expect(stdout).toMatch(/^ {2}\+.*/m);
    expect(stdout).toMatch(/^ {2}✓ \d+ ms$/m);
    expect(stdout).toMatch(/± (created|modified) notes\/hello\.md \(\+\d+ -\d+\)/);
    expect(stdout).toMatch(/1 file changed/);
  });

  it("takes the project that contains the caller's folder, also when npm has changed to another", async () => {
    const inside = await stack.gadget(["run", "hello fast"], { cwd: `${stack.workspace}/src` });
    expect(inside.code).toBe(0);
    const { projectId } = await stack.latest();
    expect(projectId).toBe(stack.project.id);
    const viaNpm = await stack.gadget(["run", "hello fast"], {
      cwd: "/",
      env: { INIT_CWD: stack.workspace },
    });
    expect(viaNpm.code).toBe(0);
    const outside = await stack.gadget(["run", "hello fast"], { cwd: "/" });
    expect(outside.code).toBe(2);
    expect(outside.stderr).toMatch(/No project contains \/\..*--project[^]*Website/);
  });

  it("reads the prompt from stdin", async () => {
    const input = "hello fast\nfrom a pipe\n";
    const { code } = await stack.gadget(["run", "-", "--project", "web"], { cwd: "/", input });
    expect(code).toBe(0);
    expect((await stack.latest()).prompt).toBe(input);
    expect((await stack.gadget(["run", "-"], { input: " \n" })).code).toBe(2);
  });

  it("goes on in a session, with another model and approval", async () => {
    const { sessionId } = await stack.latest();
    const session = ["--session", sessionId.slice(0, 8), "--approval", "read-only"];
    const more = ["--provider", "demo", "--model", "demo"];
    expect((await stack.gadget(["run", "hello again, fast", ...session, ...more])).code).toBe(0);
    expect((await stack.latest()).sessionId).toBe(sessionId);
  });

  it("ends with 1 when the turn fails, and says why", async () => {
    const { code, stdout } = await stack.gadget(["run", "error 401"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/\n✗ error after .+: .+/);
  });

  it("prints the events and the turn, a JSON object a line, with --json", async () => {
    const { code, stdout } = await stack.gadget(["run", "hello fast", "--json"]);
    expect(code).toBe(0);
    const lines: Record<string, unknown>[] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const last = lines.pop();
    expect(last).toMatchObject({ turn: { status: "finished" } });
    expect(lines[0]).toMatchObject({ seq: 1, type: "turn:changed", status: "queued" });
    expect(lines.at(-1)).toMatchObject({ type: "turn:changed", status: "finished" });
  });
});
