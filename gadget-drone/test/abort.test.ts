import { abortMessages, brokenCover, newId, TurnId } from "@gadget/api";
import { eventually } from "@gadget/testing/eventually";
import type { ModelCall } from "@gadget/testing/scripted-model";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { OrderServer } from "./support/order-server.ts";
import { onRealServer, startTestDrone, type TestDrone } from "./support/test-drone.ts";

let test: TestDrone<OrderServer>;

beforeAll(async () => {
  test = await startTestDrone({ capacity: 60 });
});
afterAll(() => test.stop());
beforeEach(() => {
  test.model.calls.length = 0;
});

/** An order whose model is in the middle of an answer, for ever. */
async function submitSilent(say = "One moment"): Promise<{ turnId: TurnId; call: ModelCall }> {
  const { server, model } = test;
  let call: ModelCall | undefined;
  model.answer((asked) => {
    call = asked;
    if (say !== "") {
      asked.text(say);
    }
  });
  const order = test.order();
  expect(await server.submit(order)).toBe(true);
  return { turnId: order.turnId, call: await eventually("the model is asked", () => call) };
}

describe("a turn", () => {
  it("streams text and ends finished, with every number exactly once", async () => {
    const { server, model } = test;
    model.answer(async (call) => {
      for (const word of ["Hello", " ", "world"]) {
        call.text(word);
      }
      call.end();
    });
    const order = test.order();
    expect(await server.submit(order)).toBe(true);
    expect(await server.completed(order.turnId)).toMatchObject({
      success: true,
      message: undefined,
    });
    const events = server.events(order.turnId);
    expect(brokenCover(events, 1)).toBeUndefined();
    expect(events[0]).toMatchObject({
      type: "turn:changed",
      status: "processing",
      seq: 2,
      epoch: 1,
    });
    expect(server.text(order.turnId)).toBe("Hello world");
    expect(server.eventsOf(order.turnId, "text:end")[0]?.text).toBe("Hello world");
    expect(server.eventsOf(order.turnId, "usage").at(-1)?.usage).toMatchObject({
      inputTokens: 10,
      outputTokens: 5,
    });
  });

  it("ends with the provider's failure in words", async () => {
    const { server, model } = test;
    model.answer((call) => call.refuse(401));
    const order = test.order();
    await server.submit(order);
    const { success, message } = await server.completed(order.turnId);
    expect(success).toBe(false);
    expect(message).toMatch(/key/i);
    expect(JSON.stringify(server.events(order.turnId))).not.toContain("key-canary");
  });

  it.skipIf(onRealServer())("is taken once, also when its order comes twice", async () => {
    const { server } = test;
    const { turnId } = await submitSilent();
    const order = server.turns.get(turnId)?.order;
    if (order === undefined) {
      throw new Error("no order");
    }
    expect(await server.ask("processWorkOrder", [order])).toEqual({ accepted: true });
    expect(test.model.calls).toHaveLength(1);
    await server.abort(turnId);
    await server.completed(turnId);
  });
});

describe("abort", () => {
  it("A13 closes the upstream connection while the model is silent, and says that it settled", async () => {
    const { server } = test;
    const { turnId, call } = await submitSilent();
    await eventually("the text", () => server.text(turnId) === "One moment");
    const start = performance.now();
    expect(await server.abort(turnId)).toEqual({ success: true, message: abortMessages.signaled });
    expect((await call.closed) - start).toBeLessThan(500);
    expect(await server.completed(turnId)).toMatchObject({ success: true, message: "aborted" });
    const changes = server.eventsOf(turnId, "turn:changed");
    expect(changes.map(({ status }) => status)).toEqual(["processing", "aborting", "aborting"]);
    expect(changes.at(-1)?.stopped).toMatchObject({ processes: 0, left: 0 });
    expect(server.events(turnId).at(-1)).toBe(changes.at(-1));
  });

  it("A13 closes the upstream connection before the first byte", async () => {
    const { server } = test;
    const { turnId, call } = await submitSilent("");
    await server.abort(turnId);
    await call.closed;
    expect(await server.completed(turnId)).toMatchObject({ success: true, message: "aborted" });
  });

  it("A13 A23 ends at once while it waits for a rate limit", async () => {
    const { server, model } = test;
    model.answer((call) => call.refuse(429, { "retry-after": "60" }));
    const order = test.order();
    await server.submit(order);
    await server.event(order.turnId, "notice");
    await server.abort(order.turnId);
    await server.completed(order.turnId, 2_000);
    expect(model.calls).toHaveLength(1);
  });

  it.skipIf(onRealServer())(
    "A6 an abort that overtakes its order: it is refused, and no model is called",
    async () => {
      const { server, model } = test;
      const order = test.order();
      expect(await server.abort(order.turnId)).toEqual({
        success: false,
        message: abortMessages.notRunning,
      });
      expect(await server.submit(order)).toBe(false);
      expect(model.calls).toHaveLength(0);
      expect(server.events(order.turnId)).toHaveLength(0);
    },
  );

  it("A6 an abort in the same moment as the order: no model call and no tool", async () => {
    const { server, model } = test;
    const order = test.order();
    await server.prepare(order);
    const accepted = server.submit(order);
    // A server knows of a turn when it has said so.
    if (onRealServer()) {
      await accepted;
    }
    const answer = server.abort(order.turnId);
    expect(await accepted).toBe(true);
    expect(await answer).toMatchObject({ success: true });
    expect(await server.completed(order.turnId)).toMatchObject({ message: "aborted" });
    expect(model.calls.length).toBeLessThanOrEqual(onRealServer() ? 1 : 0);
    expect(server.text(order.turnId)).toBe("");
  });

  it("A4 several clicks are one abort, and each is told what it met", async () => {
    const { server } = test;
    const { turnId } = await submitSilent();
    const answers = await Promise.all([1, 2, 3].map(() => server.abort(turnId)));
    expect(answers.map(({ message }) => message)).toEqual([
      abortMessages.signaled,
      abortMessages.already,
      abortMessages.already,
    ]);
    await server.completed(turnId);
    expect(server.turns.get(turnId)?.completions).toHaveLength(1);
    expect((await server.abort(turnId)).message).toBe(abortMessages.notRunning);
  });

  it("A3 an abort of another turn touches nothing", async () => {
    const { server } = test;
    const { turnId, call } = await submitSilent();
    expect(await server.abort(newId(TurnId))).toMatchObject({ success: false });
    call.text(" and on");
    call.end();
    expect(await server.completed(turnId)).toMatchObject({ success: true, message: undefined });
    expect(server.text(turnId)).toBe("One moment and on");
  });

  it("A12 A29 half a tool call is never run, and is said to have never started", async () => {
    const { server, model } = test;
    model.answer((call) => call.halfTool("write_file"));
    const order = test.order();
    await server.submit(order);
    await server.event(order.turnId, "tool:start");
    await server.abort(order.turnId);
    await server.completed(order.turnId);
    expect(server.eventsOf(order.turnId, "tool:end")).toMatchObject([{ outcome: "never_started" }]);
  });

  it("A22 closes an open question, and a later answer is refused", async () => {
    const { server, model } = test;
    model.answerWithTools(["ask_user", { question: "Tea?" }]);
    const order = test.order();
    await server.submit(order);
    const { questionId } = await server.event(order.turnId, "question:open");
    await server.abort(order.turnId);
    await server.completed(order.turnId);
    expect(server.eventsOf(order.turnId, "question:closed")).toMatchObject([{ questionId }]);
    expect(server.eventsOf(order.turnId, "question:closed")[0]?.answer).toBeUndefined();
    const { turnId } = order;
    const late = server.ask("answerQuestion", [
      { turnId, questionId, answer: "Yes", by: test.server.person },
    ]);
    await expect(late).rejects.toMatchObject({ code: "closed" });
  });

  it("A22 closes an open approval, and nothing has run", async () => {
    const { server, model } = test;
    model.answerWithTools(["shell", { command: "echo ran > ran" }]);
    const order = test.order({ approval: "edits" });
    await server.submit(order);
    const { approvalId } = await server.event(order.turnId, "approval:open");
    await server.abort(order.turnId);
    await server.completed(order.turnId);
    expect(server.eventsOf(order.turnId, "approval:closed")).toMatchObject([{ approvalId }]);
    expect(server.eventsOf(order.turnId, "tool:end")).toMatchObject([{ outcome: "never_started" }]);
    const { turnId } = order;
    const late = server.ask("answerApproval", [
      { turnId, approvalId, decision: "once", by: test.server.person },
    ]);
    await expect(late).rejects.toMatchObject({ code: "closed" });
  });

  it("A23 ends a wait at once", async () => {
    const { server, model } = test;
    model.answerWithTools(["wait", { seconds: 600 }]);
    const order = test.order();
    await server.submit(order);
    await eventually("the wait", () => server.eventsOf(order.turnId, "tool:input").at(-1)?.input);
    await server.abort(order.turnId);
    await server.completed(order.turnId, 2_000);
    expect(server.eventsOf(order.turnId, "tool:end")).toMatchObject([{ outcome: "cancelled" }]);
  });

  it("A30 keeps the partial text, and A7 nothing follows the receipt", async () => {
    const { server } = test;
    const { turnId, call } = await submitSilent("This much came");
    await eventually("the text", () => server.text(turnId) !== "");
    await server.abort(turnId);
    call.text(" and this is too late");
    await server.completed(turnId);
    expect(server.eventsOf(turnId, "text:end")[0]?.text).toBe("This much came");
    expect(server.events(turnId).at(-1)).toMatchObject({ type: "turn:changed" });
    expect(JSON.stringify(server.events(turnId))).not.toContain("too late");
  });

  it("A37 aborting one of 50 turns leaves 49 byte-identical", async () => {
    const { server, model } = test;
    const calls = new Map<string, ModelCall>();
    model.answer((call) => {
      calls.set(call.prompt, call);
      call.text("start ");
    });
    const orders = Array.from({ length: 50 }, (_, i) => test.order({ prompt: `prompt ${i}.` }));
    for (const order of orders) {
      expect(await server.submit(order)).toBe(true);
    }
    await eventually("all are asked", () => calls.size === 50);
    const [victim, ...others] = orders;
    if (victim === undefined) {
      throw new Error("no orders");
    }
    const half = [...calls.values()];
    for (const call of half) {
      for (let i = 0; i < 20; i++) {
        call.text(`${i} `);
      }
    }
    await server.abort(victim.turnId);
    for (const call of half) {
      if (call.isClosed) {
        continue;
      }
      for (let i = 20; i < 40; i++) {
        call.text(`${i} `);
      }
      call.end();
    }
    await Promise.all(orders.map(({ turnId }) => server.completed(turnId)));
    const expected = `start ${Array.from({ length: 40 }, (_, i) => `${i} `).join("")}`;
    for (const { turnId } of others) {
      expect(server.text(turnId)).toBe(expected);
      expect(server.turns.get(turnId)?.completions).toMatchObject([{ success: true }]);
      expect(brokenCover(server.events(turnId), 1)).toBeUndefined();
    }
    expect(await server.completed(victim.turnId)).toMatchObject({ message: "aborted" });
  });
});
