import { type HistoryMessage, newId, TurnId } from "@gadget/api";
import mongoose from "mongoose";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { StoredTurn } from "../../src/models/chat-turn.ts";
import type { ScriptedDrone } from "./scripted-drone.ts";
import { TurnServer } from "./turn-server.ts";

const count = 240;
const words = "word ".repeat(3_000);
let server: TurnServer;
let drone: ScriptedDrone;
/** Reads of turns' events, since the test set it to 0. */
let reads = 0;

beforeAll(async () => {
  server = await TurnServer.start();
  drone = await server.newDrone();
  await drone.connect();
});
afterAll(async () => {
  drone.disconnect();
  await server.close();
});
afterEach(() => void mongoose.set("debug", false));

/** A session with many turns, some of them made in the same millisecond, and one very long. */
async function longSession() {
  const sessionId = await server.newSession(drone.id);
  const { models } = server.app.context;
  const { id } = await server.submit(sessionId, "prompt first");
  const { turnId } = await drone.order();
  await drone.complete(turnId, true);
  const first = await models.turns.findById(id).lean<StoredTurn>();
  if (first === null) {
    throw new Error("there is no first turn");
  }
  const turns = Array.from({ length: count }, (_, index): StoredTurn => {
    const createdAt = new Date(first.createdAt.getTime() + 1 + Math.floor(index / 3));
    return { ...first, _id: newId(TurnId), prompt: `prompt ${index}`, createdAt };
  }).toSorted((a, b) => Number(a.createdAt) - Number(b.createdAt) || (a._id < b._id ? -1 : 1));
  await models.turns.insertMany(turns);
  await models.batches.insertMany(
    turns.map(({ _id, owner, prompt }, index) => {
      const at = new Date().toISOString();
      const head = { turnId: _id, epoch: 1, at };
      const texts = index === 100 ? 80 : 1;
      const events = Array.from({ length: texts }, (_each, step) => {
        const partId = `part-${step}`;
        const text = `answer ${step} to ${prompt}: ${words}`;
        return [
          { ...head, seq: step * 2 + 1, type: "text:start", partId, step },
          { ...head, seq: step * 2 + 2, type: "text:end", partId, text },
        ];
      }).flat();
      return { _id: `${_id}:1`, turnId: _id, owner, from: 1, to: events.length, events };
    }),
  );
  return { sessionId, turns };
}

function expected(turns: StoredTurn[]): string[] {
  const told = turns.flatMap(({ prompt }, index) => {
    const texts = index === 100 ? 80 : 1;
    const answers = Array.from({ length: texts }, (_, step) => `answer ${step} to ${prompt}: `);
    return [prompt, ...answers];
  });
  return ["prompt first", ...told];
}

const beginning = ({ text }: HistoryMessage): string => text.replace(words, "");

describe("a long conversation", () => {
  it("comes in pages that join to the whole of it, and each reads no more than it needs", async () => {
    const { sessionId, turns } = await longSession();
    mongoose.set("debug", (collection: string, method: string) => {
      if (collection === "turnEvents" && method === "find") {
        reads += 1;
      }
    });
    reads = 0;
    const { id: turnId } = await server.submit(sessionId, "and now?");
    const { history } = await drone.order();
    const perPage = Math.ceil(1_000_000 / words.length);
    expect(history.cursor).not.toBeNull();
    expect(reads).toBeGreaterThan(perPage / 2);
    expect(reads).toBeLessThanOrEqual(perPage + 8);
    let { messages, cursor } = history;
    let pages = 1;
    while (cursor !== null) {
      reads = 0;
      const page = await drone.history(turnId, cursor);
      expect(reads).toBeLessThanOrEqual(perPage + 8);
      expect(JSON.stringify(page.messages).length).toBeLessThan(1_100_000);
      messages = [...page.messages, ...messages];
      cursor = page.cursor;
      pages += 1;
    }
    expect(pages).toBeGreaterThan(4);
    expect(messages.map(beginning)).toEqual(expected(turns));
    for (const wrong of ["", "7", `${newId(TurnId)}:3`]) {
      await expect(drone.history(turnId, wrong)).rejects.toMatchObject({ code: "invalid" });
    }
    await drone.complete(turnId, true);
  });
});
