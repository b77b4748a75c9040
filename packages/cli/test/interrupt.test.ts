import type { ChatTurn } from "@gadget/api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Stack } from "./support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start();
});
afterAll(() => stack.stop());

describe("Ctrl-C in gadget run", () => {
  it("aborts the turn while text comes, and leaves with 130 when it has settled", async () => {
    const run = stack.start(["run", "tell me a long story, fast"]);
    await run.until(/Once a year/);
    run.interrupt();
    const { code, stdout, stderr } = await run.end();
    expect(code).toBe(130);
    expect(stderr).toContain("Aborting...");
    expect(stdout).toMatch(
      /⊘ aborted by Owner after .*\n {2}Stopped in \d+ ms · 0 processes ended, 0 left/,
    );
    expect((await stack.latest()).status).toBe("aborted");
  });

  it("aborts a command that ignores TERM, with all its processes", async () => {
    const run = stack.start(["run", "start something that won't stop, fast", "--approval", "auto"]);
    await run.until(/→ shell[^]*\n {2}\S/);
    run.interrupt();
    const { code, stdout } = await run.end();
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
      const { code, stderr } = await run.end();
      // null: Node itself was not yet up to take the signal.
      expect([130, null], stderr).toContain(code);
    }
    const turns = (await stack.turns()).filter((turn) => turn.prompt === prompt);
    expect(turns.filter(({ status }) => status !== "aborted")).toEqual([]);
  });
});

/** The latest turn, left waiting: an event is shown before it is noted on the turn. */
async function waitsForAnswer(): Promise<ChatTurn> {
  const { id } = await stack.latest();
  return stack.untilTurn(id, ({ waitingFor }) => waitingFor === "question");
}

describe("a question in gadget run", () => {
  it("ends with 5 without a terminal, prints where to answer, and leaves the turn waiting", async () => {
    const { code, stdout, stderr } = await stack.gadget(["run", "ask me a question, fast"]);
    expect(code).toBe(5);
    expect(stdout).toMatch(/\? What goes best.*\n {2}1\. Tea/);
    const turn = await waitsForAnswer();
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

  it("shows the elapsed time while a command works", async () => {
    const run = stack.onTerminal(["run", "--approval", "auto", "long-running command, fast"]);
    await run.until(/\d s · .*Ctrl-C aborts/);
    expect(await stack.gadget(["cancel"])).toMatchObject({ code: 0 });
    expect(await run.exitCode).toBe(130);
  });

  it("is left open with Ctrl-D at the prompt: exit code 5", async () => {
    const run = stack.onTerminal(["run", "ask me a question, fast"]);
    await run.until(/Answer, or a number > /);
    run.type("\u0004");
    expect(await run.exitCode).toBe(5);
    expect(run.screen()).toContain("It waits for a person: ");
    await waitsForAnswer();
    expect((await stack.gadget(["cancel"])).code).toBe(0);
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
    expect(run.isReading()).toBe(false);
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

describe("Ctrl-C in gadget run when the drone does not answer", () => {
  it("forces the stop with the second one", async () => {
    const run = stack.start(["run", "tell me a long story, fast"]);
    await run.until(/Once a year/);
    stack.pauseDrone();
    try {
      run.interrupt();
      await run.until(/Aborting\.\.\./);
      await stack.untilStatus((await stack.latest()).id, "aborting");
      run.interrupt();
      const { code, stderr } = await run.end();
      expect(code).toBe(130);
      expect(stderr).toContain("Forcing the stop...");
      expect((await stack.latest()).status).toBe("aborted");
    } finally {
      stack.resumeDrone();
    }
  });

  it("leaves with the third one, also when nobody answers at all", async () => {
    const run = stack.start(["run", "tell me a long story, fast"]);
    await run.until(/Once a year/);
    stack.pauseServer();
    try {
      for (const word of [/Aborting/, /Forcing/, /Left/]) {
        run.interrupt();
        await run.until(word);
      }
      expect((await run.end()).code).toBe(130);
    } finally {
      stack.resumeServer();
    }
  });
});
