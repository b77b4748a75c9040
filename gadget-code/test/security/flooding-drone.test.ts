import { ask, droneCommands, newId, QuestionId, RefusalError, type TurnId } from "@gadget/api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTurn } from "../http/start-turn.ts";
import { connectDrone, type ScriptedDrone } from "../scripted-drone.ts";
import { meanwhile, ServerProcess } from "../server-process.ts";

/** Far above what an honest day needs, far below what ends the process. */
const mostMemory = 1_000_000_000;
/** Generous: a quiet machine answers in milliseconds. */
const slowestAnswer = 5_000;
const patienceMs = 120_000;
const atOnce = 60;

let server: ServerProcess;
let drone: ScriptedDrone;
beforeAll(async () => {
  server = await ServerProcess.start();
  drone = await connectDrone(server, server.member, { capacity: 10 });
  server.watchMemory();
}, 120_000);
afterAll(async () => {
  drone.close();
  await server.stop();
});

/** A turn that the drone holds, after one that wrote nearly all it may. */
async function afterLongTurn(): Promise<TurnId> {
  const { session, turn } = await startTurn(server.member, drone);
  for (let sent = 0; sent < 7; sent += 1) {
    const texts = Array.from({ length: 4 }, (_, index) => {
      const partId = `${sent}-${index}`;
      return { type: "text:end", partId, text: "x".repeat(900_000) } as const;
    });
    expect(await drone.send(turn.id, ...texts)).not.toMatchObject({ lost: true });
  }
  await drone.complete(turn.id, true);
  const { turn: next } = await server.member.ask("submitTurn", {
    params: { id: session.id },
    body: { prompt: "go on" },
  });
  await drone.order(next.id);
  return next.id;
}

const refused = (error: unknown): string => {
  if (!(error instanceof RefusalError)) {
    throw error;
  }
  return error.code;
};

describe("a drone that asks without end", () => {
  it("for the history of its turn gets one page at a time, and the owner their answers", async () => {
    const turnId = await afterLongTurn();
    const cursor = `${turnId}:0`;
    const pages = Promise.all(
      Array.from({ length: atOnce }, () =>
        ask(drone.socket, droneCommands, "getHistory", [{ turnId, cursor }], patienceMs),
      ),
    );
    const took = await meanwhile(server.owner, pages);
    for (const { messages } of await pages) {
      expect(messages.length).toBeGreaterThan(0);
    }
    expect(Math.max(...took)).toBeLessThan(slowestAnswer);
    expect(server.mostMemory).toBeLessThan(mostMemory);
    expect(server.isAlive).toBe(true);
    await drone.complete(turnId, true);
  }, 240_000);

  it("to be greeted is greeted once at a time, and the owner gets their answers", async () => {
    const { turn } = await startTurn(server.member, drone);
    for (let sent = 0; sent < 7; sent += 1) {
      const questions = Array.from({ length: 4 }, () => {
        const questionId = newId(QuestionId);
        return { type: "question:open", questionId, question: "x".repeat(900_000) } as const;
      });
      expect(await drone.send(turn.id, ...questions)).not.toMatchObject({ lost: true });
    }
    const running = [{ turnId: turn.id, epoch: 1, lastSeq: 1 }];
    const greetings = Array.from({ length: atOnce }, () =>
      drone.greet(running, patienceMs).then(({ turns }) => turns[0]?.verdict, refused),
    );
    const answers = Promise.all(greetings);
    const took = await meanwhile(server.owner, answers);
    expect(new Set(await answers)).toEqual(new Set(["continue", "rate_limited"]));
    expect(Math.max(...took)).toBeLessThan(slowestAnswer);
    expect(server.mostMemory).toBeLessThan(mostMemory);
    expect(server.isAlive).toBe(true);
    await drone.complete(turn.id, true);
  }, 240_000);
});
