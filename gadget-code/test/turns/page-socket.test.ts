import {
  ask,
  type ChatTurn,
  type ClientToServerEvents,
  ideCommands,
  ideNotices,
  isTerminal,
  newId,
  type ServerToClientEvents,
  type SessionId,
  subscribe,
  type TurnEvent,
  TurnId,
} from "@gadget/api";
import { becomes } from "@gadget/testing/becomes";
import { io, type Socket } from "socket.io-client";
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

/** A browser tab, as far as the server can see. */
class Tab {
  readonly socket: Socket<ServerToClientEvents<"ide">, ClientToServerEvents<"ide">>;
  readonly events: TurnEvent[] = [];
  readonly changes: ChatTurn[] = [];
  readonly completions: unknown[][] = [];

  constructor() {
    this.socket = io(`${server.url}/ide`, {
      transports: ["websocket"],
      forceNew: true,
      reconnection: false,
      auth: { token: server.token },
    });
    subscribe(
      this.socket,
      ideNotices,
      {
        turnEvents: ({ events }) => void this.events.push(...events),
        turnChanged: ({ turn }) => void this.changes.push(turn),
        workOrderComplete: (...args) => void this.completions.push(args),
      },
      (_event, error) => {
        throw error;
      },
    );
  }

  join(sessionId: SessionId, have?: { turnId: TurnId; after: number }[]) {
    return ask(this.socket, ideCommands, "joinSession", [{ sessionId, have }], 5_000);
  }

  submit(sessionId: SessionId, turnId: TurnId, prompt: string) {
    return ask(this.socket, ideCommands, "submitPrompt", [{ sessionId, turnId, prompt }], 5_000);
  }

  abort(turnId: TurnId) {
    return ask(this.socket, ideCommands, "abortWorkOrder", [turnId], 5_000);
  }

  close(): void {
    this.socket.disconnect();
  }
}

describe("a page", () => {
  it("A5 aborts over its socket, and every tab sees it", async () => {
    const sessionId = await server.newSession(drone.id);
    const one = new Tab();
    const two = new Tab();
    await one.join(sessionId);
    await two.join(sessionId);
    const turnId = newId(TurnId);
    const { turn } = await one.submit(sessionId, turnId, "go");
    expect(turn).toMatchObject({ id: turnId, prompt: "go" });
    await drone.order();
    await drone.send(turnId, { type: "text:start", partId: "a" });
    expect(await one.abort(turnId)).toEqual({ success: true, message: "Abort signaled" });
    await becomes(
      async () => two.changes.at(-1)?.status,
      (status) => status === "aborting",
    );
    await drone.complete(turnId, true, "aborted");
    for (const tab of [one, two]) {
      await becomes(
        async () => tab.completions,
        (list) => list.length > 0,
      );
      expect(tab.completions).toEqual([[turnId, true, "aborted"]]);
      expect(tab.events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
      expect(tab.events.filter(isTerminal)).toMatchObject([{ status: "aborted" }]);
      expect(tab.changes.at(-1)).toMatchObject({ status: "aborted", abortedBy: { name: "Olive" } });
    }
    expect(await two.abort(turnId)).toEqual({
      success: false,
      message: "No active work order to abort",
    });
    one.close();
    two.close();
  });

  it("A6 can abort right behind its prompt, before that is acknowledged", async () => {
    const away = await server.newDrone();
    const sessionId = await server.newSession(away.id);
    const tab = new Tab();
    const turnId = newId(TurnId);
    const submitted = tab.submit(sessionId, turnId, "go");
    expect(await tab.abort(turnId)).toEqual({
      success: true,
      message: "Cancelled before it started",
    });
    expect((await submitted).turn.id).toBe(turnId);
    expect((await server.turn(turnId)).status).toBe("aborted");
    tab.close();
  });

  it("A39 that goes away aborts nothing, and catches up by number when it is back", async () => {
    const sessionId = await server.newSession(drone.id);
    const before = new Tab();
    await before.join(sessionId);
    const turnId = newId(TurnId);
    await before.submit(sessionId, turnId, "go");
    await drone.order();
    await drone.send(turnId, { type: "text:start", partId: "a" });
    await drone.send(turnId, { type: "text:delta", partId: "a", text: "one " });
    await becomes(
      async () => before.events.length,
      (count) => count === 3,
    );
    before.close();
    await drone.send(turnId, { type: "text:delta", partId: "a", text: "two" });
    expect((await server.turn(turnId)).status).toBe("processing");

    const after = new Tab();
    const caughtUp = await after.join(sessionId, [{ turnId, after: 3 }]);
    expect(caughtUp.turns).toEqual([]);
    expect(caughtUp.missed).toMatchObject([{ events: [{ seq: 4, text: "two" }] }]);
    const fresh = await new Tab().join(sessionId);
    expect(fresh.turns).toMatchObject([
      { turn: { id: turnId }, transcript: { lastSeq: 4, parts: [{ text: "one two" }] } },
    ]);
    await drone.complete(turnId, true);
    await becomes(
      async () => after.completions,
      (list) => list.length > 0,
    );
    expect(after.completions).toEqual([[turnId, true]]);
    after.close();
  });

  it("is told what is wrong with what it sends", async () => {
    const tab = new Tab();
    const sessionId = await server.newSession(drone.id);
    await expect(tab.submit(sessionId, newId(TurnId), "")).rejects.toMatchObject({
      code: "invalid",
    });
    const unknown = await tab.abort(newId(TurnId));
    expect(unknown).toEqual({ success: false, message: "There is no such turn." });
    tab.close();
  });
});

describe("an event stream", () => {
  it("gives what was stored, then what happens, and ends with the turn", async () => {
    const sessionId = await server.newSession(drone.id);
    const { id: turnId } = await server.submit(sessionId);
    await drone.order();
    await drone.send(turnId, { type: "text:start", partId: "a" });
    const response = await fetch(`${server.url}/api/v1/turns/${turnId}/events?after=1`, {
      headers: { authorization: `Bearer ${server.token}`, accept: "text/event-stream" },
    });
    const body = response.text();
    await drone.send(turnId, { type: "text:end", partId: "a", text: "" });
    await drone.complete(turnId, true);
    const ids = [...(await body).matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
    expect(ids).toEqual([2, 3, 4]);
    expect(await body).toContain('"status":"finished"');
  });
});
