import {
  ApprovalId,
  brokenCover,
  isSettled,
  isTerminal,
  MessageId,
  newId,
  type SessionId,
  TurnId,
  type WorkOrder,
} from "@gadget/api";
import { becomes } from "@gadget/testing/becomes";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScriptedDrone } from "./scripted-drone.ts";
import { TurnServer } from "./turn-server.ts";

let server: TurnServer;
let drone: ScriptedDrone;
beforeAll(async () => {
  server = await TurnServer.start();
  drone = await server.newDrone();
  await drone.connect();
});
afterAll(async () => {
  drone.disconnect();
  await server.close();
});

/** A turn that the drone holds. */
async function running(prompt = "hello") {
  const sessionId = await server.newSession(drone.id);
  const turn = await server.submit(sessionId, prompt);
  const order = await drone.order();
  expect(order.turnId).toBe(turn.id);
  return { sessionId, turnId: turn.id, order };
}

describe("a turn", () => {
  it("runs from the prompt to its stored answer", async () => {
    const { turnId, order } = await running("say hello");
    expect(order).toMatchObject({ prompt: "say hello", epoch: 1, nextSeq: 2, model: "demo" });
    await drone.send(turnId, { type: "turn:changed", status: "processing" });
    await drone.send(turnId, { type: "text:start", partId: "a", step: 1 });
    await drone.send(turnId, { type: "text:delta", partId: "a", text: "hel" });
    const { storedSeq } = await drone.send(
      turnId,
      { type: "text:delta", partId: "a", text: "lo" },
      { type: "text:end", partId: "a", text: "hello" },
      { type: "usage", usage: { inputTokens: 3, outputTokens: 2 } },
    );
    expect(storedSeq).toBe(7);
    await drone.complete(turnId, true);
    expect(await server.turn(turnId)).toMatchObject({
      status: "finished",
      usage: { inputTokens: 3, outputTokens: 2 },
      settledAt: expect.any(String),
    });
    const events = await becomes(
      () => server.events(turnId),
      (list) => list.every(({ type }) => type !== "text:delta"),
    );
    expect(brokenCover(events, 0)).toBeUndefined();
    expect(events.map(({ type }) => type)).toEqual([
      "turn:changed",
      "turn:changed",
      "text:start",
      "text:end",
      "usage",
      "turn:changed",
    ]);
    expect(brokenCover(await server.events(turnId, 4), 4)).toBeUndefined();
  });

  it("keeps of what was told of a long step its start and its end", async () => {
    const { turnId } = await running("clone it");
    const notice = { type: "notice", partId: "clone", level: "info" } as const;
    await drone.send(turnId, { ...notice, phase: "start", text: "Cloning" });
    for (const percent of [10, 50, 90]) {
      await drone.send(turnId, { ...notice, phase: "delta", text: `Cloning: ${percent}%` });
    }
    await drone.send(turnId, { ...notice, phase: "end", text: "Cloned." });
    await drone.complete(turnId, true);
    const events = await becomes(
      () => server.events(turnId),
      (list) => list.every((event) => !("phase" in event) || event.phase !== "delta"),
    );
    expect(brokenCover(events, 0)).toBeUndefined();
    expect(events.flatMap((event) => (event.type === "notice" ? [event.text] : []))).toEqual([
      "Cloning",
      "Cloned.",
    ]);
  });

  it("gives the model the conversation so far, with what was cut off", async () => {
    const { sessionId, turnId } = await running("first");
    await drone.send(turnId, { type: "text:start", partId: "a", step: 1 });
    await drone.send(turnId, { type: "text:delta", partId: "a", text: "half a sen" });
    await server.cancel(turnId);
    await drone.complete(turnId, true, "aborted");
    await server.submit(sessionId, "second");
    const order = await drone.order();
    expect(order.history.messages).toMatchObject([
      { role: "user", turnId, text: "first" },
      { role: "assistant", turnId, text: "half a sen", toolCalls: [] },
      { role: "note", turnId, text: expect.stringContaining("aborted") },
    ]);
    await drone.complete(order.turnId, false, "broken");
    await server.submit(sessionId, "third");
    const third = await drone.order();
    expect(third.history.messages.slice(3)).toMatchObject([
      { role: "user", text: "second" },
      { role: "assistant", text: "(No answer.)", toolCalls: [] },
      { role: "note", text: expect.stringContaining("error") },
    ]);
    await drone.complete(third.turnId, true);
  });

  it("gives the model a summary instead of the turns that it stands for", async () => {
    const { sessionId, turnId } = await running("long ago");
    await drone.complete(turnId, true);
    await server.submit(sessionId, "yesterday");
    const middle = await drone.order();
    await drone.send(middle.turnId, {
      type: "history:compacted",
      summary: "They said hello.",
      throughTurnId: turnId,
    });
    await drone.complete(middle.turnId, true);
    await server.submit(sessionId, "today");
    const order = await drone.order();
    expect(order.history.messages).toEqual([
      { role: "note", turnId, text: expect.stringContaining("They said hello.") },
      { role: "user", turnId: middle.turnId, text: "yesterday" },
    ]);
    await drone.complete(order.turnId, true);
  });

  it("holds a summary of a part of a turn: what people said, the summary, and the steps after it", async () => {
    const sessionId = await server.newSession(drone.id);
    await server.submit(sessionId, "first");
    const first = await drone.order();
    await drone.complete(first.turnId, true);
    await server.submit(sessionId, "long work");
    const { turnId } = await drone.order();
    const step = (n: number, text: string) =>
      [
        { type: "text:start", partId: `t${n}`, step: n },
        { type: "text:end", partId: `t${n}`, text },
      ] as const;
    await drone.send(turnId, ...step(1, "one"));
    await drone.send(turnId, {
      type: "message:steered",
      messageId: newId(MessageId),
      text: "use tabs",
    });
    await drone.send(turnId, ...step(2, "two"));
    const compacted = { type: "history:compacted", summary: "One and two." } as const;
    await drone.send(turnId, { ...compacted, throughTurnId: turnId, throughStep: 2 });
    await drone.send(turnId, ...step(3, "three"));
    await drone.complete(turnId, true);
    await server.submit(sessionId, "next");
    const order = await drone.order();
    expect(order.history.messages).toEqual([
      { role: "user", turnId, text: "long work" },
      { role: "user", turnId, text: "use tabs" },
      { role: "note", turnId, text: expect.stringContaining("One and two.") },
      { role: "assistant", turnId, text: "three", toolCalls: [] },
    ]);
    await drone.complete(order.turnId, true);
  });

  it("may compact the session: it asks nothing, and the next one holds the summary alone", async () => {
    const sessionId = await server.newSession(drone.id);
    const compact = () => server.call("compactSession", { params: { id: sessionId } });
    expect(await compact()).toMatchObject({ status: 409, code: "conflict" });
    await server.submit(sessionId, "hello");
    const { turnId } = await drone.order();
    expect(await compact()).toMatchObject({ status: 409, code: "busy" });
    await drone.complete(turnId, true);
    expect(await compact()).toMatchObject({ status: 202, body: { turn: { kind: "compact" } } });
    const order = await drone.order();
    expect(order).toMatchObject({ compact: true, prompt: "" });
    const compacted = { type: "history:compacted", summary: "Hello." } as const;
    await drone.send(order.turnId, { ...compacted, throughTurnId: turnId });
    await drone.complete(order.turnId, true);
    await server.submit(sessionId, "next");
    const next = await drone.order();
    expect(next.history.messages).toEqual([
      { role: "note", turnId, text: expect.stringContaining("Hello.") },
    ]);
    await drone.complete(next.turnId, true);
  });

  it("is the same turn when its prompt is sent again, and another prompt with its id is refused", async () => {
    const sessionId = await server.newSession(drone.id);
    const turnId = newId(TurnId);
    const send = (prompt: string) =>
      server.call("submitTurn", { params: { id: sessionId }, body: { prompt, turnId } });
    const answers = await Promise.all([send("once"), send("once"), send("once")]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(await send("other")).toMatchObject({ status: 409, code: "conflict" });
    await drone.order();
    await drone.complete(turnId, true);
    const { body } = await server.call("listSessionTurns", { params: { id: sessionId } });
    expect(body.items).toHaveLength(1);
  });

  it("is alone in its session: a second prompt gets busy", async () => {
    const { sessionId, turnId } = await running();
    const second = await server.call("submitTurn", {
      params: { id: sessionId },
      body: { prompt: "me too" },
    });
    expect(second).toMatchObject({ status: 409, code: "busy" });
    await drone.complete(turnId, true);
  });

  it("waits for the workspace that another turn writes in, or runs anyway when its user says so", async () => {
    const { sessionId, turnId } = await running();
    const { body } = await server.call("getSession", { params: { id: sessionId } });
    const { body: made } = await server.call("createSession", {
      params: { id: body.session.projectId },
      body: {},
    });
    const second = newId(TurnId);
    const send = (runAnyway?: true) =>
      server.call("submitTurn", {
        params: { id: made.session.id },
        body: { prompt: "beside", turnId: second, ...(runAnyway && { runAnyway }) },
      });
    await send();
    await becomes(
      () => server.turn(second),
      ({ waitingFor }) => waitingFor === "workspace",
    );
    expect((await send(true)).status).toBe(202);
    expect((await drone.order()).turnId).toBe(second);
    await drone.complete(second, true);
    await drone.complete(turnId, true);
  });

  it("fails with the drone's words", async () => {
    const { turnId } = await running();
    await drone.complete(turnId, false, "the model is not there");
    expect(await server.turn(turnId)).toMatchObject({
      status: "error",
      errorMessage: "the model is not there",
    });
  });
});

describe("an abort", () => {
  it("A5 is stored and pushed, and ends as aborted by its user", async () => {
    const { turnId } = await running();
    const { status, body } = await server.cancel(turnId);
    expect(status).toBe(200);
    expect(body).toMatchObject({ message: "Abort signaled", turn: { status: "aborting" } });
    expect(drone.aborted).toContain(turnId);
    const aborting = await server.turn(turnId);
    expect(aborting).toMatchObject({ status: "aborting", abortedBy: { name: "Olive" } });
    await drone.send(turnId, {
      type: "turn:changed",
      status: "aborting",
      stopped: { afterMs: 7, processes: 2, left: 0 },
    });
    await drone.complete(turnId, true, "aborted");
    expect(await server.turn(turnId)).toMatchObject({
      status: "aborted",
      abortedBy: { name: "Olive" },
      stopped: { afterMs: 7, processes: 2, left: 0 },
    });
    expect((await server.events(turnId)).at(-1)).toMatchObject({
      type: "turn:changed",
      status: "aborted",
      abortedBy: { name: "Olive" },
    });
  });

  it("A4 is one abort however often it is asked for, and is told apart", async () => {
    const { turnId } = await running();
    const answers = await Promise.all([1, 2, 3, 4].map(() => server.cancel(turnId)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect((await server.cancel(turnId)).body.message).toBe("Already aborting");
    await drone.complete(turnId, true, "aborted");
    expect(await server.cancel(turnId)).toMatchObject({ status: 409, code: "not_running" });
    const id = newId(TurnId);
    expect(await server.cancel(id)).toMatchObject({ status: 404, code: "not_found" });
  });

  it("A6 of a queued turn runs nothing", async () => {
    const away = await server.newDrone();
    const sessionId = await server.newSession(away.id);
    const turn = await server.submit(sessionId);
    expect(turn).toMatchObject({ status: "queued", waitingFor: "drone" });
    const { body } = await server.cancel(turn.id);
    expect(body).toMatchObject({
      message: "Cancelled before it started",
      turn: { status: "aborted" },
    });
    await away.connect();
    expect((await away.heartbeat()).abort).toEqual([]);
    expect(away.held.size).toBe(0);
    away.disconnect();
  });

  it("A6 that overtakes its order ends as aborted when the drone refuses the order", async () => {
    const slow = await server.newDrone();
    let decide = (_: boolean): void => {};
    const asked = new Promise<void>((arrived) => {
      slow.accept = () => {
        arrived();
        return new Promise((resolve) => {
          decide = resolve;
        });
      };
    });
    await slow.connect();
    const turn = await server.submit(await server.newSession(slow.id));
    await asked;
    const { body } = await server.cancel(turn.id);
    expect(body.turn.status).toBe("aborting");
    decide(false);
    const settled = await becomes(
      () => server.turn(turn.id),
      ({ status }) => isSettled(status),
    );
    expect(settled.status).toBe("aborted");
    slow.disconnect();
  });

  it("A6 100 aborts sent as soon as the prompt is accepted all end as aborted", async () => {
    const sessions = await Promise.all([1, 2, 3, 4].map(() => server.newSession(drone.id)));
    const ready = drone.accept;
    drone.accept = () => true;
    const settledBy = async (turnId: TurnId): Promise<string> => {
      for (;;) {
        const { status } = await server.turn(turnId);
        if (isSettled(status)) {
          return status;
        }
        // The drone has the order by now, or refuses it; either way it says that it stopped.
        if (drone.held.has(turnId)) {
          await drone.complete(turnId, true, "aborted");
        }
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    };
    await Promise.all(
      sessions.map(async (sessionId) => {
        for (let round = 0; round < 25; round += 1) {
          const { id } = await server.submit(sessionId, `round ${round}`);
          expect((await server.cancel(id)).status).toBe(200);
          expect(await settledBy(id)).toBe("aborted");
        }
      }),
    );
    drone.accept = ready;
    drone.forgetOrders();
  });

  it("A7 a late success, error or output changes nothing after aborted", async () => {
    const { turnId, order } = await running();
    await server.cancel(turnId);
    await drone.complete(turnId, true, "aborted");
    const before = await server.events(turnId);
    await drone.complete(turnId, true);
    await drone.complete(turnId, false, "too late");
    const late = {
      turnId,
      seq: before.length + 1,
      epoch: order.epoch,
      at: new Date().toISOString(),
    };
    const answer = await drone.sendEvents(turnId, order.epoch, [
      { ...late, type: "notice", level: "info", text: "too late" },
    ]);
    expect(answer).toMatchObject({ lost: true });
    expect(await server.events(turnId)).toEqual(before);
    expect((await server.turn(turnId)).status).toBe("aborted");
  });

  it("A1 what had ended before the signal keeps its end", async () => {
    const { turnId } = await running();
    drone.onAbort = () => ({ success: false, message: "No active work order to abort" });
    await server.cancel(turnId);
    await drone.complete(turnId, true);
    expect((await server.turn(turnId)).status).toBe("finished");
  });

  it("A32 is answered by the server within a second when the drone is silent", async () => {
    const { turnId } = await running();
    const before = drone.onAbort;
    drone.onAbort = () => new Promise(() => {});
    const startedAt = performance.now();
    const { body } = await server.cancel(turnId);
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    expect(body.message).toMatch(/unreachable/);
    expect((await server.turn(turnId)).status).toBe("aborting");
    drone.onAbort = before;
    await drone.complete(turnId, true, "aborted");
  });

  it("A3 of one turn leaves the others alone", async () => {
    const first = await running();
    const second = await running();
    await server.cancel(first.turnId);
    await drone.complete(first.turnId, true, "aborted");
    expect((await server.turn(second.turnId)).status).toBe("processing");
    await drone.complete(second.turnId, true);
    expect((await server.turn(second.turnId)).status).toBe("finished");
  });

  it("Force stop settles without the drone, fences it, and tells it to kill", async () => {
    const { turnId, order } = await running();
    await server.cancel(turnId);
    const { status, body } = await server.cancel(turnId, true);
    expect(status).toBe(200);
    expect(body.turn.status).toBe("aborted");
    await becomes(
      async () => drone.killed,
      (killed) => killed.includes(turnId),
    );
    const late = { turnId, seq: 2, epoch: order.epoch, at: new Date().toISOString() };
    const answer = await drone.sendEvents(turnId, order.epoch, [
      { ...late, type: "notice", level: "info", text: "late" },
    ]);
    expect(answer).toMatchObject({ lost: true });
    drone.held.delete(turnId);
    expect((await server.events(turnId)).filter(isTerminal)).toHaveLength(1);
  });
});

describe("a message to a running turn", () => {
  const message = (turnId: TurnId, text: string, mode: "queue" | "steer") =>
    server.call("sendMessage", { params: { id: turnId }, body: { text, mode } });
  const queue = async (id: SessionId) =>
    (await server.call("listQueue", { params: { id } })).body.items.map(({ text }) => text);

  it("A8 that was queued starts the next turn after finished, the oldest first", async () => {
    const { sessionId, turnId } = await running();
    await message(turnId, "then this", "queue");
    await message(turnId, "and this", "queue");
    expect(await queue(sessionId)).toEqual(["then this", "and this"]);
    await drone.complete(turnId, true);
    const next = await drone.order();
    expect(next).toMatchObject({ sessionId, prompt: "then this" });
    expect(await queue(sessionId)).toEqual(["and this"]);
    await drone.complete(next.turnId, true);
    const last = await drone.order();
    expect(last.prompt).toBe("and this");
    await drone.complete(last.turnId, true);
    expect(await queue(sessionId)).toEqual([]);
  });

  it("A8 waits for its user after an abort, an undelivered steer too", async () => {
    const { sessionId, turnId } = await running();
    await message(turnId, "queued", "queue");
    await message(turnId, "steered too late", "steer");
    await server.cancel(turnId);
    await drone.complete(turnId, true, "aborted");
    expect(await queue(sessionId)).toEqual(["queued", "steered too late"]);
    const { body } = await server.call("listSessionTurns", { params: { id: sessionId } });
    expect(body.items).toHaveLength(1);
  });

  it("that allows a command for the session allows it in its next turn too", async () => {
    const { sessionId, turnId } = await running();
    const approvalId = newId(ApprovalId);
    const asked = { approvalId, name: "shell", command: "make all", prefix: "make" };
    await drone.send(turnId, { type: "approval:open", ...asked });
    expect((await server.turn(turnId)).waitingFor).toBe("approval");
    const params = { id: turnId, approvalId };
    await server.call("answerApproval", { params, body: { decision: "session" } });
    await drone.send(turnId, { type: "approval:closed", approvalId, decision: "session" });
    await drone.complete(turnId, true);
    await server.submit(sessionId, "again");
    const order = await drone.order();
    expect(order.allowed).toEqual(["make"]);
    await drone.complete(order.turnId, true);
  });

  it("keeps of what was allowed what the drone names, not what the button says", async () => {
    const { sessionId, turnId } = await running();
    const approvalId = newId(ApprovalId);
    const shown = { name: "shell", command: "ls; git status", prefix: "ls, git status" };
    const allowance = ["form:1", "form:2"];
    await drone.send(turnId, { type: "approval:open", approvalId, ...shown, allowance });
    const params = { id: turnId, approvalId };
    await server.call("answerApproval", { params, body: { decision: "session" } });
    await drone.send(turnId, { type: "approval:closed", approvalId, decision: "session" });
    await drone.complete(turnId, true);
    await server.submit(sessionId, "again");
    const order = await drone.order();
    expect(order.allowed).toEqual(allowance);
    await drone.complete(order.turnId, true);
  });

  it("that nobody allowed for the session is not allowed by its drone's word", async () => {
    const { sessionId, turnId } = await running();
    const [alone, twice] = [newId(ApprovalId), newId(ApprovalId)];
    const asked = { name: "shell", command: "make all", prefix: "make" };
    const closed = { type: "approval:closed", decision: "session" } as const;
    await drone.send(turnId, { type: "approval:open", approvalId: alone, ...asked });
    await drone.send(turnId, { ...closed, approvalId: alone });
    await drone.send(turnId, { type: "approval:open", approvalId: twice, ...asked });
    const params = { id: turnId, approvalId: twice };
    await server.call("answerApproval", { params, body: { decision: "session" } });
    await drone.send(turnId, { type: "approval:open", approvalId: twice, ...asked, prefix: "rm" });
    await drone.send(turnId, { ...closed, approvalId: twice });
    await drone.complete(turnId, true);
    await server.submit(sessionId, "again");
    const order = await drone.order();
    expect(order.allowed).toEqual([]);
    await drone.complete(order.turnId, true);
  });

  it("waits no more once the model was given it", async () => {
    const { sessionId, turnId } = await running();
    const { body } = await message(turnId, "left, not right", "steer");
    expect(await queue(sessionId)).toEqual(["left, not right"]);
    const { id: messageId, text } = body.message;
    await drone.send(turnId, { type: "message:steered", messageId, text });
    expect(await queue(sessionId)).toEqual([]);
    await drone.complete(turnId, true);
  });
});

describe("races", () => {
  it("A2 1,000 of abort, finish, fail and Force stop give one terminal event each", async () => {
    const rounds = 1_000;
    const lanes = 20;
    const sessions = await Promise.all(
      Array.from({ length: lanes }, () => server.newSession(drone.id)),
    );
    const arrivals = new Map<TurnId, (order: WorkOrder) => void>();
    const accept = drone.accept;
    drone.accept = (order) => {
      arrivals.get(order.turnId)?.(order);
      return true;
    };
    const raced: TurnId[] = [];
    const race = async (sessionId: SessionId, random: () => number): Promise<void> => {
      const turnId = newId(TurnId);
      raced.push(turnId);
      const arrived = new Promise((resolve) => arrivals.set(turnId, resolve));
      const body = { prompt: "go", turnId };
      const { status } = await server.call("submitTurn", { params: { id: sessionId }, body });
      expect(status).toBe(202);
      await arrived;
      const words = [
        () => drone.complete(turnId, true),
        () => drone.complete(turnId, true, "aborted"),
        () => drone.complete(turnId, false, "broken"),
      ];
      const clicks = [
        () => server.cancel(turnId),
        () => server.cancel(turnId),
        () => server.cancel(turnId, true),
      ];
      const pick = <Item>(items: readonly Item[]): Item => {
        const item = items[random() % items.length];
        if (item === undefined) {
          throw new Error("nothing to pick from");
        }
        return item;
      };
      const contenders = [pick<() => Promise<unknown>>(clicks), pick(words), pick(words)];
      if (random() % 2 === 0) {
        contenders.reverse();
      }
      await Promise.all(contenders.map((contend) => contend()));
      drone.held.delete(turnId);
    };
    await Promise.all(
      sessions.map(async (sessionId, lane) => {
        const random = seeded(lane + 1);
        for (let round = 0; round < rounds / lanes; round += 1) {
          await race(sessionId, random);
        }
      }),
    );
    drone.accept = accept;

    const { turns, batches } = server.app.context.models;
    const stored = await turns.find({ _id: { $in: raced } }).lean();
    const ends = new Set(stored.map(({ status }) => status));
    expect(stored).toHaveLength(rounds);
    expect([...ends].sort()).toEqual(["aborted", "error", "finished"]);
    for (const { _id, status } of stored) {
      const log = (await batches.find({ turnId: _id }).sort({ from: 1 }).lean()).flatMap(
        ({ events }) => events,
      );
      expect(log.filter(isTerminal)).toHaveLength(1);
      expect(log.at(-1)).toMatchObject({ type: "turn:changed", status });
    }
  }, 300_000);
});

/** A small generator of its own, so that a failing order of events comes back. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 16;
  };
}
