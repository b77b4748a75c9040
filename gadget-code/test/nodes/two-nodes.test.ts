import {
  ask,
  brokenCover,
  type ChatTurn,
  ideCommands,
  ideNotices,
  isTerminal,
  subscribe,
  type TurnId,
} from "@gadget/api";
import { becomes } from "@gadget/testing/becomes";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPage, type Page } from "../page.ts";
import { ScriptedDrone } from "../turns/scripted-drone.ts";
import { Child } from "./child.ts";
import { Cluster, cliBundle, type Node } from "./cluster.ts";
import { followEvents } from "./follow-events.ts";
import { redisServer } from "./redis.ts";
import { Switchboard } from "./switchboard.ts";

const patience = 30_000;
let cluster: Cluster;

/** The model talks until it is cut off, or until the test lets it end. */
function talk(): { end: () => void } {
  let ended = false;
  cluster.model.answer((call) => {
    const timer = setInterval(() => {
      if (call.isClosed) {
        clearInterval(timer);
      } else if (ended) {
        clearInterval(timer);
        call.end();
      } else {
        call.text("word ");
      }
    }, 20);
  });
  return { end: () => void (ended = true) };
}

async function turnAt({ person }: Node, id: TurnId): Promise<ChatTurn> {
  return (await person.ask("getTurn", { params: { id } })).turn;
}

function turnBecomes(node: Node, id: TurnId, status: ChatTurn["status"]): Promise<ChatTurn> {
  return becomes(
    () => turnAt(node, id),
    (turn) => turn.status === status,
    patience,
  );
}

/** It runs, and the model has been asked. */
async function submitted(node: Node, prompt: string): Promise<TurnId> {
  const asked = cluster.model.calls.length;
  const turnId = await cluster.submit(node, prompt);
  await becomes(
    () => cluster.model.calls.length,
    (calls) => calls > asked,
    patience,
  );
  return turnId;
}

async function join(node: Node, sessionId: ChatTurn["sessionId"]): Promise<Page> {
  const page = await openPage(node.url, node.person);
  await ask(page.socket, ideCommands, "joinSession", [{ sessionId }], patience);
  return page;
}

describe.skipIf(redisServer === undefined)("two nodes, the drone on the first", () => {
  beforeAll(async () => {
    cluster = await Cluster.start();
  }, 120_000);
  afterAll(() => cluster?.stop(), 60_000);

  it("A38 a prompt and its abort at the other node, over REST", async () => {
    const { one, two } = cluster;
    talk();
    const turnId = await submitted(two, "Talk");
    const { message } = await two.person.ask("cancelTurn", { params: { id: turnId } });
    expect(message).toBe("Abort signaled");
    await cluster.model.calls.at(-1)?.closed;
    const turn = await turnBecomes(two, turnId, "aborted");
    expect(turn.abortedBy?.id).toBe(two.person.user.id);
    expect((await turnAt(one, turnId)).status).toBe("aborted");
    const again = await one.person.refusal("cancelTurn", { params: { id: turnId } });
    expect(again?.code).toBe("not_running");
  });

  it("A38 a prompt through one and its abort through the other, with the CLI at a balancer", async () => {
    const { one, two } = cluster;
    talk();
    const front = await Switchboard.start();
    front.leadInTurn(one.url, two.url);
    const env = { GADGET_SERVER: front.url, GADGET_TOKEN: one.person.token, NO_COLOR: "1" };
    const gadget = (args: string[], said: RegExp) =>
      new Child(process.execPath, [cliBundle, ...args], env, said);
    const session = await cluster.newSession();
    try {
      const run = gadget(["run", "Talk", "--session", session], /⊘ aborted by/);
      await becomes(
        () => run.output,
        (output) => output.includes("word word"),
        patience,
      );
      // The prompt's process holds its connection to one node; this one is led to the other.
      front.leadInTurn(front.lastLedTo === one.url ? two.url : one.url);
      await gadget(["cancel", "--json"], /"status":"abort/).ready;
      await run.ready;
    } finally {
      await front.stop();
    }
  });

  it("A38 a page at the other node sees the turn, aborts it and sees its end", async () => {
    const { two } = cluster;
    talk();
    const sessionId = await cluster.newSession();
    const page = await join(two, sessionId);
    const seen: string[] = [];
    page.socket.on("turnEvents", ({ events }) => seen.push(...events.map(({ type }) => type)));
    const ended = new Promise<unknown[]>((resolve) => {
      page.socket.on("workOrderComplete", (...args) => resolve(args));
    });
    const turnId = await cluster.submit(two, "Talk", sessionId);
    await becomes(
      () => seen,
      (types) => types.includes("text:delta"),
      patience,
    );
    const answer = await ask(page.socket, ideCommands, "abortWorkOrder", [turnId], patience);
    expect(answer).toEqual({ success: true, message: "Abort signaled" });
    expect(await ended).toEqual([turnId, true, "aborted"]);
    page.close();
  });

  it("A38 an event stream at the other node is live and whole", async () => {
    const { two } = cluster;
    const { end } = talk();
    const turnId = await submitted(two, "Talk");
    const stream = await followEvents(two, turnId);
    await stream.until(({ type }) => type === "text:delta");
    expect((await turnAt(two, turnId)).status).toBe("processing");
    end();
    const events = await stream.rest();
    expect(brokenCover(events, 0)).toBeUndefined();
    expect(events.filter(isTerminal)).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: "turn:changed", status: "finished" });
  });

  it("A22 a question is answered, and a file read, at the other node", async () => {
    const { two } = cluster;
    cluster.model.answerWithTools(["ask_user", { question: "Which?" }]);
    const sessionId = await cluster.newSession();
    const id = await cluster.submit(two, "Ask me", sessionId);
    const stream = await followEvents(two, id);
    const open = await stream.until(({ type }) => type === "question:open");
    if (open.type !== "question:open") {
      throw new Error("no question");
    }
    const { questionId } = open;
    const body = { answer: "The left one" };
    await two.person.ask("answerQuestion", { params: { id, questionId }, body });
    await turnBecomes(two, id, "finished");
    expect(cluster.model.calls.at(-1)?.toolResults.join()).toContain("The left one");
    const late = await two.person.refusal("answerQuestion", { params: { id, questionId }, body });
    expect(late?.code).toBe("closed");
    expect(await two.person.ask("readFiles", { params: { id: sessionId } })).toBeDefined();
    const folders = { params: { id: cluster.droneId ?? ("" as never) } };
    expect(await two.person.ask("listFolders", folders)).toBeDefined();
  });

  it("A38 Force stop at the other node settles, and the drone kills its work", async () => {
    const { two } = cluster;
    talk();
    const id = await submitted(two, "Talk");
    const query = { force: "true" } as const;
    const { turn } = await two.person.ask("cancelTurn", { params: { id }, query });
    expect(turn.status).toBe("aborted");
    await cluster.model.calls.at(-1)?.closed;
  });

  it("a token that is deleted at one node closes its pages at the other", async () => {
    const { one, two } = cluster;
    const { id, token } = await one.person.ask("createToken", { body: { name: "short" } });
    const page = await openPage(one.url, { token, cookie: "" });
    await two.person.ask("deleteToken", { params: { id } });
    await page.closed();
    expect(page.socket.connected).toBe(false);
  });

  it("A36 A38 its node is killed: the drone goes on at the other, and nothing is lost", async () => {
    const { one, two, board } = cluster;
    const { end } = talk();
    const turnId = await submitted(one, "Talk");
    const stream = await followEvents(two, turnId);
    await stream.until(({ type }) => type === "text:delta");
    board.leadTo(two.url);
    await one.process.end("SIGKILL");
    const { seq } = await stream.until(() => true);
    await stream.until((event) => event.seq > seq + 20);
    end();
    const events = await stream.rest();
    expect(brokenCover(events, 0)).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ status: "finished" });
    cluster.one = await cluster.startNode();
  });

  it("A34 A38 a drone that moves by itself takes its turn along", async () => {
    const { one, two, board } = cluster;
    const { end } = talk();
    const turnId = await submitted(one, "Talk");
    const stream = await followEvents(one, turnId);
    for (const node of [one, two, one]) {
      board.leadTo(node.url, true);
      const { seq } = await stream.until(() => true);
      await stream.until((event) => event.seq > seq + 20);
    }
    end();
    const events = await stream.rest();
    expect(brokenCover(events, 0)).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ status: "finished" });
  });

  it("Redis away: both say so and go on by themselves; back: they find each other", async () => {
    const { one, two, redis } = cluster;
    const ready = async ({ url }: Node): Promise<number> => (await fetch(`${url}/readyz`)).status;
    const { end } = talk();
    const turnId = await submitted(one, "Talk");
    const page = await join(two, (await turnAt(two, turnId)).sessionId);
    const near = await followEvents(one, turnId);
    const far = await followEvents(two, turnId);
    await far.until(({ type }) => type === "text:delta");
    await redis.down();
    for (const node of [one, two]) {
      await becomes(
        () => ready(node),
        (status) => status === 503,
        patience,
      );
    }
    const { seq } = await near.until(() => true);
    await near.until((event) => event.seq > seq + 20);
    const unreachable = await two.person
      .ask("cancelTool", {
        params: { id: turnId, callId: "none" as never },
      })
      .catch((error: { code: string }) => error.code);
    expect(unreachable).toBe("drone_offline");
    await redis.up();
    for (const node of [one, two]) {
      await becomes(
        () => ready(node),
        (status) => status === 200,
        patience,
      );
    }
    // It reconnects, and reads in the log what it missed.
    await page.closed();
    await far.until((event) => event.seq > seq + 20);
    const later = await submitted(two, "Talk");
    const { message } = await two.person.ask("cancelTurn", { params: { id: later } });
    expect(message).toBe("Abort signaled");
    end();
    for (const stream of [near, far]) {
      const events = await stream.rest();
      expect(brokenCover(events, 0)).toBeUndefined();
      expect(events.at(-1)).toMatchObject({ status: "finished" });
    }
  });

  it("a page at the other node is told of a drone's silence while another drone beats", async () => {
    const { one, two } = cluster;
    const { code } = await one.person.ask("createEnrollment");
    const { drone, credential } = await one.person.ask("enrollDrone", {
      body: { code, name: "quiet", host: "quiet" },
    });
    const quiet = new ScriptedDrone(one.url, drone.id, credential);
    const page = await openPage(two.url, two.person);
    const told: string[] = [];
    const stop = subscribe(
      page.socket,
      ideNotices,
      { droneChanged: ({ drone: { id, status } }) => void (id === drone.id && told.push(status)) },
      () => {},
    );
    await quiet.connect();
    quiet.disconnect();
    await becomes(
      () => told,
      (statuses) => statuses.includes("offline"),
      45_000,
    );
    expect(told).toEqual(["online", "stale", "offline"]);
    stop();
    page.close();
    await one.person.ask("deleteDrone", { params: { id: drone.id } });
  });

  it("a drone that is revoked at the other node loses its connection and its turn", async () => {
    const { two } = cluster;
    talk();
    const turnId = await submitted(two, "Talk");
    await two.person.ask("deleteDrone", { params: { id: cluster.droneId ?? ("" as never) } });
    const { errorMessage } = await turnBecomes(two, turnId, "interrupted");
    expect(errorMessage).toContain("revoked");
    await cluster.model.calls.at(-1)?.closed;
  });
});
