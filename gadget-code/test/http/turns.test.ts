import {
  ApprovalId,
  CallId,
  newId,
  QuestionId,
  RefusalError,
  type TurnDiff,
  type TurnEvent,
} from "@gadget/api";
import { becomes } from "@gadget/testing/becomes";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectDrone, type ScriptedDrone } from "../scripted-drone.ts";
import { startServer, type TestServer } from "../server.ts";
import { startTurn } from "./start-turn.ts";

const openQuestion = newId(QuestionId);
const asked: [name: string, order: unknown][] = [];
const noted =
  (name: string) =>
  (order: unknown): Record<string, never> => {
    asked.push([name, order]);
    return {};
  };
const file = { path: "a.txt", change: "created", added: 1, removed: 0 } as const;
const diff: TurnDiff = { files: [{ file, diff: "+a" }], coverage: "whole" };

let server: TestServer;
let drone: ScriptedDrone;
beforeAll(async () => {
  server = await startServer();
  drone = await connectDrone(server, server.owner, {
    capacity: 50,
    orders: {
      finishWorkOrder: noted("finish"),
      deliverMessage: noted("message"),
      answerQuestion: (answer) => {
        if (answer.questionId !== openQuestion) {
          throw new RefusalError("closed");
        }
        return noted("answer")(answer);
      },
      answerApproval: noted("approval"),
      cancelTool: noted("cancelTool"),
      setApproval: noted("setApproval"),
      turnDiff: (order) => {
        asked.push(["diff", order]);
        return diff;
      },
      undoTurn: (order) => {
        asked.push(["undo", order]);
        return { preview: order.preview, restored: diff.files, skipped: [], redo: false };
      },
    },
  });
});
afterAll(async () => {
  drone.close();
  await server.stop();
});

describe("what is said to a running turn over REST", () => {
  it("reaches the drone that holds it, with the name of who said it", async () => {
    const { owner } = server;
    const { turn } = await startTurn(owner, drone);
    const by = { id: owner.user.id, name: owner.user.name };
    const params = { id: turn.id };

    const finishing = await owner.ask("finishTurn", { params });
    expect(finishing.turn.id).toBe(turn.id);
    const steered = await owner.ask("sendMessage", {
      params,
      body: { text: "rather in French", mode: "steer" },
    });
    expect(steered.message).toMatchObject({ turnId: turn.id, mode: "steer" });
    const answer = { params: { id: turn.id, questionId: openQuestion }, body: { answer: "yes" } };
    await owner.ask("answerQuestion", answer);
    const approvalId = newId(ApprovalId);
    await owner.ask("answerApproval", {
      params: { id: turn.id, approvalId },
      body: { decision: "deny", reason: "no" },
    });
    const callId = CallId.parse("call/1?x");
    await owner.ask("cancelTool", { params: { id: turn.id, callId } });

    const turnId = turn.id;
    const mine = asked.filter(([, order]) => Reflect.get(Object(order), "turnId") === turnId);
    expect(mine).toEqual([
      ["finish", { turnId }],
      [
        "message",
        { turnId, messageId: steered.message.id, text: "rather in French", mode: "steer", by },
      ],
      ["answer", { turnId, questionId: openQuestion, answer: "yes", by }],
      ["approval", { turnId, approvalId, decision: "deny", reason: "no", by }],
      ["cancelTool", { turnId, callId }],
    ]);
    await drone.complete(turnId, true);
  });

  it("A22 is refused as closed when nothing waits for it any more", async () => {
    const { owner } = server;
    const { turn } = await startTurn(owner, drone);
    const dead = { params: { id: turn.id, questionId: newId(QuestionId) }, body: { answer: "x" } };
    expect((await owner.refusal("answerQuestion", dead))?.code).toBe("closed");
    await drone.complete(turn.id, true);
    const late = { params: { id: turn.id, questionId: openQuestion }, body: { answer: "x" } };
    expect(await owner.refusal("answerQuestion", late)).toMatchObject({
      code: "closed",
      status: 409,
    });
    expect((await owner.refusal("finishTurn", { params: { id: turn.id } }))?.code).toBe(
      "not_running",
    );
    const message = { params: { id: turn.id }, body: { text: "hey", mode: "steer" as const } };
    expect((await owner.refusal("sendMessage", message))?.code).toBe("not_running");
  });

  it("includes a new approval mode of its session", async () => {
    const { owner } = server;
    const { turn, session } = await startTurn(owner, drone);
    await owner.ask("updateSession", { params: { id: session.id }, body: { approval: "auto" } });
    expect(asked).toContainEqual(["setApproval", { turnId: turn.id, approval: "auto" }]);
    await drone.complete(turn.id, true);
  });
});

describe("a session's queue", () => {
  it("is listed oldest first, edited and deleted, a page at a time", async () => {
    const { owner } = server;
    const { turn, session } = await startTurn(owner, drone);
    const params = { id: turn.id };
    for (const text of ["one", "two", "three"]) {
      await owner.ask("sendMessage", { params, body: { text, mode: "queue" } });
    }
    const first = await owner.ask("listQueue", {
      params: { id: session.id },
      query: { limit: 2 },
    });
    expect(first.items.map(({ text }) => text)).toEqual(["one", "two"]);
    const rest = await owner.ask("listQueue", {
      params: { id: session.id },
      query: { limit: 2, cursor: first.nextCursor ?? "" },
    });
    expect(rest.items.map(({ text }) => text)).toEqual(["three"]);
    expect(rest.nextCursor).toBeNull();
    const [one, two] = first.items;
    if (one === undefined || two === undefined) {
      throw new Error("the queue is empty");
    }
    const edited = await owner.ask("updateQueued", {
      params: { id: session.id, messageId: one.id },
      body: { text: "uno" },
    });
    expect(edited.message.text).toBe("uno");
    await owner.ask("deleteQueued", { params: { id: session.id, messageId: two.id } });
    const twice = { params: { id: session.id, messageId: two.id } };
    expect((await owner.refusal("deleteQueued", twice))?.code).toBe("not_found");
    const left = await owner.ask("listQueue", { params: { id: session.id } });
    expect(left.items.map(({ text }) => text)).toEqual(["uno", "three"]);
    await owner.ask("cancelTurn", { params });
    await drone.complete(turn.id, true, "aborted");
  });
});

describe("what a turn did to files", () => {
  it("is asked of its drone, with the workspace of its project", async () => {
    const { owner } = server;
    const { turn, project } = await startTurn(owner, drone);
    const params = { id: turn.id };
    const workspace = { source: { kind: "empty" }, directory: project.id, turnId: turn.id };
    expect(await owner.ask("getDiff", { params })).toEqual(diff);
    expect(asked).toContainEqual(["diff", workspace]);
    expect((await owner.refusal("undoTurn", { params }))?.code).toBe("in_use");
    const preview = await owner.ask("undoTurn", { params, body: { preview: true } });
    expect(preview).toMatchObject({ preview: true, restored: diff.files });
    await drone.complete(turn.id, true);
    await owner.ask("undoTurn", { params });
    expect(asked).toContainEqual(["undo", { ...workspace, preview: false }]);
  });
});

describe("who may cancel a turn", () => {
  it("is its owner, and the owner of the drone that it runs on", async () => {
    const { owner, member } = server;
    await owner.ask("updateDrone", { params: { id: drone.id }, body: { shared: true } });
    const { turn } = await startTurn(member, drone, "a member's secret plan");
    const stranger = await server.join("Sam");
    const params = { id: turn.id };
    expect((await stranger.refusal("cancelTurn", { params }))?.code).toBe("not_found");
    expect((await owner.refusal("getTurn", { params }))?.code).toBe("not_found");
    const cancelled = await owner.ask("cancelTurn", { params });
    expect(cancelled.turn).toMatchObject({ status: "aborting", prompt: "" });
    await drone.complete(turn.id, true, "aborted");
    const { turn: settled } = await member.ask("getTurn", { params });
    expect(settled).toMatchObject({ status: "aborted", abortedBy: { name: owner.user.name } });
    expect(await owner.refusal("cancelTurn", { params })).toMatchObject({ code: "not_found" });
    expect(await member.refusal("cancelTurn", { params })).toMatchObject({
      code: "not_running",
      details: { status: "aborted" },
    });
    const deeds = await becomes(
      () => owner.ask("listAudit"),
      ({ items }) => items.some(({ subject }) => subject === turn.id),
    );
    expect(deeds.items.find(({ subject }) => subject === turn.id)).toMatchObject({
      action: "turn aborted",
      name: owner.user.name,
      address: expect.stringContaining("127.0.0.1") as string,
    });
  });
});

async function stream(id: string, last: number | undefined): Promise<TurnEvent[]> {
  const response = await fetch(`${server.url}/api/v1/turns/${id}/events`, {
    headers: {
      authorization: `Bearer ${server.owner.token}`,
      accept: "text/event-stream",
      ...(last !== undefined && { "last-event-id": String(last) }),
    },
    signal: AbortSignal.timeout(5_000),
  });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const text = await response.text();
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data) as TurnEvent);
}

describe("a turn's events", () => {
  it("come in pages, or as a stream from Last-Event-ID on that ends with the turn", async () => {
    const { owner } = server;
    const { turn } = await startTurn(owner, drone);
    const params = { id: turn.id };
    await drone.send(turn.id, { type: "text:start", partId: "p" });
    const live = stream(turn.id, undefined);
    await drone.send(turn.id, { type: "text:delta", partId: "p", text: "Hel" });
    await drone.send(turn.id, { type: "text:end", partId: "p", text: "Hello." });
    await drone.complete(turn.id, true);
    const seen = await live;
    expect(seen.at(-1)).toMatchObject({ type: "turn:changed", status: "finished", seq: 5 });

    const first = await owner.ask("listEvents", { params, query: { limit: 2 } });
    expect(first.items.map(({ seq }) => seq)).toEqual([1, 2]);
    const rest = await owner.ask("listEvents", {
      params,
      query: { limit: 200, cursor: first.nextCursor ?? "" },
    });
    expect(rest.items.map(({ seq }) => seq).at(-1)).toBe(5);
    expect(rest.nextCursor).toBeNull();

    expect((await stream(turn.id, 2)).map(({ seq }) => seq)[0]).toBeGreaterThan(2);
    for (const beyond of [5, 5_000]) {
      const again = await stream(turn.id, beyond);
      expect(again).toMatchObject([{ status: "finished", seq: 5 }]);
    }
    const bad = await owner.send("listEvents", {
      params,
      headers: { accept: "text/event-stream", "last-event-id": "x" },
    });
    expect(bad.status).toBe(400);
  });
});
