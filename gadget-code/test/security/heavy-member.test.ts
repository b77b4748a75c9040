import { request } from "node:http";
import { CallId, fullLog, pathOf, routes, type TurnId, turnLimits } from "@gadget/api";
import { becomes } from "@gadget/testing/becomes";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTurn } from "../http/start-turn.ts";
import { connectDrone, type ScriptedDrone } from "../scripted-drone.ts";
import { meanwhile, ServerProcess } from "../server-process.ts";

/** Far above what an honest day needs, far below what ends the process. */
const mostMemory = 1_000_000_000;
/** Generous: a quiet machine answers in milliseconds. */
const slowestAnswer = 5_000;

let server: ServerProcess;
let drone: ScriptedDrone;
beforeAll(async () => {
  server = await ServerProcess.start();
  drone = await connectDrone(server, server.member, { capacity: 10 });
}, 120_000);
afterAll(async () => {
  drone.close();
  await server.stop();
});

const output = (characters: number) =>
  ({ type: "tool:output", callId: CallId.parse("c"), text: "x".repeat(characters) }) as const;

const turnOf = async (id: TurnId) => (await server.member.ask("getTurn", { params: { id } })).turn;

/** An event stream that nobody reads. */
function unreadStream(turnId: TurnId): Promise<() => void> {
  const sent = request(`${server.url}${pathOf(routes.listEvents.path, { id: turnId })}`, {
    headers: { authorization: `Bearer ${server.member.token}`, accept: "text/event-stream" },
  });
  sent.on("error", () => {});
  return new Promise((resolve) => {
    sent.once("response", (response) => {
      response.pause();
      resolve(() => void sent.destroy());
    });
    sent.end();
  });
}

describe("a member whose drone writes without end", () => {
  it("ends their own turn with a sentence, by one event that is too large", async () => {
    const { turn } = await startTurn(server.member, drone);
    await drone.send(turn.id, output(100));
    const answer = await drone.send(turn.id, output(turnLimits.eventCharacters + 1));
    expect(answer).toMatchObject({ lost: true });
    expect(await turnOf(turn.id)).toMatchObject({ status: "error", errorMessage: fullLog });
    const { items } = await server.member.ask("listEvents", { params: { id: turn.id } });
    expect(items.map(({ type }) => type)).toEqual(["turn:changed", "tool:output", "turn:changed"]);
  });

  it("and whoever then reads the log sixteen times at once leave the owner their answers", async () => {
    const { turn } = await startTurn(server.member, drone);
    server.watchMemory();
    const closing: (() => void)[] = [];
    const attack = async (): Promise<void> => {
      // Ten times what a log may hold; the server stops taking it.
      for (let sent = 0; sent < 80; sent += 1) {
        const batch = Array.from({ length: 4 }, () => output(900_000));
        const { lost } = await drone.send(turn.id, ...batch);
        if (lost === true) {
          break;
        }
      }
      const streams = await Promise.all(Array.from({ length: 20 }, () => unreadStream(turn.id)));
      closing.push(...streams);
      const params = { id: turn.id };
      const logs = Array.from({ length: 16 }, () => server.member.send("listEvents", { params }));
      const transcripts = Array.from({ length: 8 }, () =>
        server.member.send("getTranscript", { params: { id: turn.sessionId } }),
      );
      for (const response of await Promise.all([...logs, ...transcripts])) {
        expect(response.status).toBe(200);
        await response.arrayBuffer();
      }
    };
    const took = await meanwhile(server.owner, attack());
    for (const close of closing) {
      close();
    }
    expect(await turnOf(turn.id)).toMatchObject({ status: "error", errorMessage: fullLog });
    expect(Math.max(...took)).toBeLessThan(slowestAnswer);
    expect(server.isAlive).toBe(true);
    expect(server.mostMemory).toBeLessThan(mostMemory);
  }, 180_000);

  it("gets a long log in pages that have no gap", async () => {
    const { turn } = await startTurn(server.member, drone);
    for (let sent = 0; sent < 12; sent += 1) {
      await drone.send(turn.id, output(900_000));
    }
    await drone.complete(turn.id, true);
    let covered = 0;
    let pages = 0;
    let cursor: string | undefined;
    do {
      const page = await server.member.ask("listEvents", {
        params: { id: turn.id },
        query: { cursor },
      });
      for (const event of page.items) {
        expect(event.fromSeq ?? event.seq).toBe(covered + 1);
        covered = event.seq;
      }
      pages += 1;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(covered).toBe(14);
    expect(pages).toBeGreaterThan(2);
  });

  it("has fifty event streams, not more", async () => {
    const { turn } = await startTurn(server.member, drone);
    const streams = await Promise.all(Array.from({ length: 50 }, () => unreadStream(turn.id)));
    const stream = { params: { id: turn.id }, headers: { accept: "text/event-stream" } };
    expect(await server.member.refusal("listEvents", stream)).toMatchObject({
      code: "rate_limited",
    });
    for (const close of streams) {
      close();
    }
    await becomes(
      async () => (await server.member.send("listEvents", stream)).status,
      (status) => status === 200,
    );
    await drone.complete(turn.id, true);
  });
});
