import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { brokenCover } from "@gadget/api";
import { eventually } from "@gadget/testing/eventually";
import type { ModelCall } from "@gadget/testing/scripted-model";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TestDrone } from "./support/test-drone.ts";

let test: TestDrone;

beforeEach(async () => {
  test = await TestDrone.start();
});
afterEach(() => test.stop());

async function submitTalking(fields = {}) {
  let call: ModelCall | undefined;
  test.model.answer((asked) => {
    call = asked;
    asked.text("Begun. ");
  });
  const order = test.order(fields);
  expect(await test.server.submit(order)).toBe(true);
  const asked = await eventually("the model is asked", () => call);
  await eventually("the text", () => test.server.text(order.turnId) !== "");
  return { order, turnId: order.turnId, call: asked };
}

describe("the connection", () => {
  it("says in its hello what it is and what it can", async () => {
    const hello = await test.server.greeted();
    expect(hello).toMatchObject({ host: "test", capacity: 4, running: [] });
    expect(hello.abilities).toMatchObject({ git: true, platform: process.platform });
    expect(hello.roots).toContain(test.folder);
  });

  it("A35 goes on where it was after a cut, and nothing is lost or doubled", async () => {
    const { turnId, call } = await submitTalking();
    for (let i = 0; i < 40; i++) {
      call.text(`${i} `);
      if (i === 10 || i === 25) {
        test.server.cut();
      }
      await delay(10);
    }
    call.end();
    expect(await test.server.completed(turnId)).toMatchObject({ success: true });
    const all = Array.from({ length: 40 }, (_, i) => `${i} `).join("");
    expect(test.server.text(turnId)).toBe(`Begun. ${all}`);
    expect(brokenCover(test.server.events(turnId), 1)).toBeUndefined();
    expect(test.server.hellos.length).toBeGreaterThanOrEqual(2);
    expect(test.server.hellos.at(-1)?.running).toMatchObject([{ turnId, epoch: 1 }]);
  });

  it("A35 A36 a server that is away when the turn ends is told when it is back", async () => {
    const { turnId, call } = await submitTalking();
    await test.server.stop();
    call.text("While it is away.");
    call.end();
    await delay(300);
    const files = await readdir(join(test.folder, "data", "outbox"));
    expect(files).toEqual([`${turnId}.1.jsonl`]);
    test.server = await test.server.restarted();
    expect(await test.server.completed(turnId)).toMatchObject({ success: true });
    expect(test.server.text(turnId)).toBe("Begun. While it is away.");
    expect(brokenCover(test.server.events(turnId), 1)).toBeUndefined();
    await eventually("the outbox is empty", async () => {
      return (await readdir(join(test.folder, "data", "outbox"))).length === 0;
    });
  });

  it("A35 a completion that was not acknowledged is told again", async () => {
    const { turnId, call } = await submitTalking();
    test.server.stores = false;
    call.end();
    await delay(200);
    expect(test.server.turns.get(turnId)?.completions).toEqual([]);
    test.server.stores = true;
    expect(await test.server.completed(turnId)).toMatchObject({ success: true });
  });

  it("A35 A14 a disk that can't be written keeps neither a turn nor an abort from its end", async () => {
    await rm(join(test.folder, "data", "outbox"), { recursive: true });
    const { turnId, call } = await submitTalking();
    await test.server.abort(turnId);
    await call.closed;
    expect(await test.server.completed(turnId)).toMatchObject({ message: "aborted" });
    expect(test.logs.join("")).toContain("The outbox can't be written");
  });

  it("A36 a drain ends also while the server is away, and the next process tells the end", async () => {
    const { turnId, call } = await submitTalking();
    await test.server.stop();
    await test.drone.drain(200);
    await call.closed;
    const log = await readFile(join(test.folder, "data", "outbox", `${turnId}.1.jsonl`), "utf8");
    expect(log).toContain("The drone was stopped before the turn had ended");
    test.server = await test.server.restarted();
  });

  it("A33 learns of an abort in the hello after a lost connection", async () => {
    const { turnId, call } = await submitTalking();
    test.server.verdict = () => "abort";
    test.server.cut();
    await call.closed;
    expect(await test.server.completed(turnId)).toMatchObject({
      success: true,
      message: "aborted",
    });
  });

  it("A34 a turn that the server has given away is killed, and nothing more is written", async () => {
    const { turnId, call } = await submitTalking();
    const before = test.server.events(turnId).length;
    test.server.verdict = () => "kill";
    test.server.cut();
    await call.closed;
    await eventually("it is gone", () => test.drone.running === 0);
    await delay(100);
    expect(test.server.events(turnId)).toHaveLength(before);
    expect(test.server.turns.get(turnId)?.completions).toEqual([]);
    expect(await readdir(join(test.folder, "data", "outbox"))).toEqual([]);
  });

  it("A34 killWorkOrder ends the work without a word", async () => {
    const { turnId, call } = await submitTalking();
    await test.server.ask("killWorkOrder", [{ turnId, epoch: 1 }]);
    await call.closed;
    await eventually("it is gone", () => test.drone.running === 0);
    expect(test.server.turns.get(turnId)?.completions).toEqual([]);
  });

  it("A34 without the server it lets go before the grace is over", async () => {
    const graceMs = 8_000;
    const { order, turnId, call } = await submitTalking({ graceMs });
    const file = join(test.workspace(order), "beat");
    call.tool("shell", { command: "while :; do echo x >> beat; sleep 0.02; done" });
    call.end();
    await eventually("the command runs", async () => (await readFile(file).catch(() => "")).length);
    const start = performance.now();
    await test.server.stop();
    await eventually("the work is given up", () => test.drone.running === 0, 2 * graceMs);
    expect(performance.now() - start).toBeLessThan(graceMs);
    const size = (await readFile(file)).length;
    await delay(100);
    expect((await readFile(file)).length).toBe(size);
    test.server = await test.server.restarted();
    await eventually("it is back", () => test.server.hellos.length > 1);
    expect(test.server.hellos.at(-1)?.running).toEqual([]);
    expect(test.server.turns.get(turnId)?.completions).toEqual([]);
  });

  it("is told when its credential is refused", async () => {
    test.server.refusesCredential = true;
    test.server.cut();
    await eventually("the refusal", () => test.refusals[0]);
    expect(test.refusals).toMatchObject([{ code: "unauthenticated" }]);
  });
});

describe("heartbeats", () => {
  it("A33 name the aborts that a drone should know", async () => {
    await test.stop();
    test = await TestDrone.start({}, { heartbeatMs: 50 });
    const { turnId, call } = await submitTalking();
    expect(test.server.heartbeats).toBeGreaterThanOrEqual(0);
    test.server.heartbeatAborts = [turnId];
    await call.closed;
    expect(await test.server.completed(turnId)).toMatchObject({ message: "aborted" });
    expect(test.server.heartbeats).toBeGreaterThan(0);
  });

  it("A34 keep the lease: a turn outlives its grace as long as they are answered", async () => {
    await test.stop();
    test = await TestDrone.start({}, { heartbeatMs: 100 });
    const { turnId, call } = await submitTalking({ graceMs: 600 });
    await delay(1_500);
    call.text("Still here.");
    call.end();
    expect(await test.server.completed(turnId)).toMatchObject({
      success: true,
      message: undefined,
    });
  });
});

describe("orders", () => {
  it("are taken also when they come before the answer to the hello", async () => {
    const order = test.order();
    test.server.onHello = () => {
      test.server.onHello = () => {};
      void test.server.submit(order);
    };
    test.server.cut();
    expect(await test.server.completed(order.turnId)).toMatchObject({ success: true });
    expect(brokenCover(test.server.events(order.turnId), 1)).toBeUndefined();
  });

  it("are refused beyond the capacity, for a busy session, and while draining", async () => {
    const { order } = await submitTalking();
    expect(await test.server.submit(test.order({ sessionId: order.sessionId }))).toBe(false);
    for (let i = 0; i < 3; i++) {
      expect(await test.server.submit(test.order())).toBe(true);
    }
    expect(await test.server.submit(test.order())).toBe(false);
    for (const turnId of test.server.turns.keys()) {
      await test.server.abort(turnId);
    }
    await eventually("all are gone", () => test.drone.running === 0);
    await test.server.ask("drain", [{ draining: true }]);
    expect(await test.server.submit(test.order())).toBe(false);
    await test.server.ask("drain", [{ draining: false }]);
    expect(await test.server.submit(test.order())).toBe(true);
  });
});
