import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Stack } from "./support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start();
});
afterAll(() => stack.stop());

describe("a restart of the server", () => {
  it("A36 loses nothing of what tail and run print, and the turn goes on", async () => {
    const run = stack.start(["run", "hello"]);
    await run.until(/Nice to have you/);
    const { id } = await stack.latest();
    const tail = stack.start(["tail", id]);
    await tail.until(/Nice to have you/);
    await stack.stopServer();
    await Promise.all([run.until(/trying again/), tail.until(/trying again/)]);
    await stack.startServer();
    await Promise.all([run.until(/Connected again/), tail.until(/Connected again/)]);
    const [ran, tailed] = await Promise.all([run.end(), tail.end()]);
    expect([ran.code, tailed.code]).toEqual([0, 0]);
    const shown = await stack.gadget(["show", id]);
    expect(shown.stdout.length).toBeGreaterThan(600);
    expect(ran.stdout).toBe(tailed.stdout);
    expect(`> hello\n\n${ran.stdout}`).toBe(shown.stdout);
  });
});

describe("a drone that is lost", () => {
  it("ends run with 6: interrupted, not aborted", async () => {
    const run = stack.start(["run", "tell me a long story"]);
    await run.until(/Once a year/);
    await stack.killDrone();
    await stack.startDrone();
    const { code, stdout } = await run.end();
    expect(code).toBe(6);
    expect(stdout).toMatch(/\n⚠ interrupted after /);
    const { id, status } = await stack.latest();
    expect(status).toBe("interrupted");
    expect((await stack.gadget(["tail", id])).code).toBe(6);
  });

  it("is what a queued turn says that it waits for", async () => {
    await stack.killDrone();
    const run = stack.start(["run", "hello fast"]);
    await run.until(/waits for its drone/);
    run.interrupt();
    expect((await run.end()).code).toBe(130);
    expect((await stack.latest()).status).toBe("aborted");
  });
});
