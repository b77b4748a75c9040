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
    await stack.gadget(["run", "hello fast"]);
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

  it("colours for FORCE_COLOR, and never for NO_COLOR", async () => {
    const coloured = await stack.gadget(["run", "hello fast"], { env: { FORCE_COLOR: "1" } });
    expect(coloured.stdout).toContain("\u001B[32m✓ finished");
    const plain = await stack.gadget(["run", "hello fast"], {
      env: { FORCE_COLOR: "1", NO_COLOR: "1" },
    });
    expect(plain.stdout + plain.stderr).not.toContain("\u001B");
  });
});

describe("Ctrl-C in gadget run", () => {
  it("aborts the turn while text comes, and leaves with 130 when it has settled", async () => {
    const run = stack.start(["run", "tell me a long story"]);
    await run.until(/Once a year/);
    run.interrupt();
    const { code, stdout, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr).toContain("Aborting...");
    expect(stdout).toMatch(
      /⊘ aborted by Owner after .*\n {2}Stopped in \d+ ms · 0 processes ended, 0 left/,
    );
    expect((await stack.latest()).status).toBe("aborted");
  });

  it("aborts a command that ignores TERM, with all its processes", async () => {
    const run = stack.start(["run", "start something that won't stop", "--approval", "auto"]);
    await run.until(/→ shell[^]*\n {2}\S/);
    run.interrupt();
    const { code, stdout } = await run.ended;
    expect(code).toBe(130);
    expect(stdout).toMatch(/⊘ (shell · )?cancelled/);
    const { status, stopped } = await stack.latest();
    expect(status).toBe("aborted");
    expect(stopped).toMatchObject({ left: 0 });
    expect(stopped?.processes).toBeGreaterThan(0);
  });

  it("A6 aborts a turn whose prompt is on its way, whenever it is pressed", async () => {
    const prompt = "tell me a long story at once";
    for (const afterMs of [60, 100, 140, 180, 220]) {
      const run = stack.start(["run", prompt]);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      run.interrupt();
      const { code, stderr } = await run.ended;
      // null: Node itself was not yet up to take the signal.
      expect([130, null], stderr).toContain(code);
    }
    const turns = (await stack.turns()).filter((turn) => turn.prompt === prompt);
    expect(turns.filter(({ status }) => status !== "aborted")).toEqual([]);
  });

  it("forces the stop with the second one when the drone does not answer, and leaves with the third", async () => {
    const run = stack.start(["run", "tell me a long story"]);
    await run.until(/Once a year/);
    stack.pauseDrone();
    try {
      run.interrupt();
      await run.until(/Aborting\.\.\./);
      await stack.untilTurn((await stack.latest()).id, ({ status }) => status === "aborting");
      run.interrupt();
      const { code, stderr } = await run.ended;
      expect(code).toBe(130);
      expect(stderr).toContain("Forcing the stop...");
      expect((await stack.latest()).status).toBe("aborted");
    } finally {
      stack.resumeDrone();
    }
  });
});

describe("a question in gadget run", () => {
  it("ends with 5 without a terminal, prints where to answer, and leaves the turn waiting", async () => {
    const { code, stdout, stderr } = await stack.gadget(["run", "ask me a question, fast"]);
    expect(code).toBe(5);
    expect(stdout).toMatch(/\? What goes best.*\n {2}1\. Tea/);
    const turn = await stack.latest();
    expect(turn).toMatchObject({ status: "processing", waitingFor: "question" });
    expect(stderr).toContain(`${stack.url}/sessions/${turn.sessionId}`);
    expect(stderr).toContain(`gadget answer ${turn.id.slice(0, 10)}`);

    const answered = await stack.gadget(["answer", turn.id.slice(0, 6), "2"]);
    expect(answered).toMatchObject({ code: 0 });
    expect(answered.stdout).toContain("Coffee");
    await stack.untilStatus(turn.id, "finished");
    const again = await stack.gadget(["answer", turn.id, "Tea"]);
    expect(again.code).toBe(4);
  });

  it("is asked at the prompt on a terminal, and answered there", async () => {
    const run = stack.onTerminal(["run", "ask me a question, fast"]);
    await run.until(/Answer, or a number > /);
    run.type("1\n");
    expect(await run.exitCode).toBe(0);
    expect(run.screen()).toMatch(/answered by Owner: Tea/);
  });

  it("A22 closes with Ctrl-C at the prompt", async () => {
    const run = stack.onTerminal(["run", "ask me a question, fast"]);
    await run.until(/Answer, or a number > /);
    run.pressCtrlC();
    expect(await run.exitCode).toBe(130);
    expect((await stack.latest()).status).toBe("aborted");
  });

  it("is taken away when somebody else answers it", async () => {
    const run = stack.onTerminal(["run", "ask me a question, fast"]);
    await run.until(/Answer, or a number > /);
    expect((await stack.gadget(["answer", "Just water"])).code).toBe(0);
    expect(await run.exitCode).toBe(0);
    expect(run.screen()).toMatch(/answered by Owner: Just water/);
  });

  it("asks for an approval, takes a no with its reason, and a yes for the session", async () => {
    const denied = stack.onTerminal(["run", "run a long-running command, fast"]);
    await denied.until(/May it run shell: [^]*n\(o\).* > /);
    denied.type("n, not now\n");
    expect(await denied.exitCode).toBe(0);
    expect(denied.screen()).toMatch(/denied by Owner: not now/);

    const asked = await stack.gadget(["run", "run a long-running command, fast"]);
    expect(asked.code).toBe(5);
    expect((await stack.gadget(["approve", "--for-session"])).code).toBe(0);
    const { id } = await stack.latest();
    await stack.untilTurn(id, ({ waitingFor }) => waitingFor === undefined);
    expect((await stack.gadget(["cancel"])).code).toBe(0);
    expect((await stack.turn(id)).status).toBe("aborted");
  });
});
