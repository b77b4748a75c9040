import { type HistoryMessage, newId, SessionId, type TurnId } from "@gadget/api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectDrone, type ScriptedDrone } from "../scripted-drone.ts";
import { startServer, type TestServer } from "../server.ts";
import { storeSession } from "../stored-session.ts";
import { startTurn } from "./start-turn.ts";

let server: TestServer;
let drone: ScriptedDrone;
beforeAll(async () => {
  server = await startServer();
  drone = await connectDrone(server, server.owner, { capacity: 10 });
});
afterAll(async () => {
  drone.close();
  await server.stop();
});

/** What a turn's model is told of the past, without the ids, which are a copy's own. */
async function pastOf(turnId: TurnId): Promise<HistoryMessage[]> {
  const { history } = await drone.order(turnId);
  expect(history.cursor).toBeNull();
  return history.messages.map(({ turnId: _, ...message }) => message as HistoryMessage);
}

async function prompt(id: SessionId, text: string): Promise<TurnId> {
  const { turn } = await server.owner.ask("submitTurn", {
    params: { id },
    body: { prompt: text },
  });
  await drone.order(turn.id);
  return turn.id;
}

async function say(turnId: TurnId, text: string): Promise<void> {
  await drone.send(turnId, { type: "text:start", partId: "p" });
  await drone.send(turnId, { type: "text:delta", partId: "p", text });
  await drone.send(turnId, { type: "text:end", partId: "p", text });
}

/** Three turns: one that was answered, one that failed, and one that asks again. */
async function threeTurns() {
  const { session, turn } = await startTurn(server.owner, drone, "Count to three");
  await say(turn.id, "One, two, three.");
  await drone.send(turn.id, { type: "tool:start", callId: "c" as never, name: "shell" });
  await drone.send(turn.id, {
    type: "tool:end",
    callId: "c" as never,
    name: "shell",
    outcome: "finished",
    input: { command: "seq 3" },
    text: "1\n2\n3",
  });
  const file = { path: "n.txt", change: "created", added: 3, removed: 0 } as const;
  await drone.send(turn.id, { type: "file:changed", file });
  await drone.complete(turn.id, true);
  const second = await prompt(session.id, "Now to four");
  await drone.complete(second, false, "The model is gone.");
  const third = await prompt(session.id, "Now to five");
  return { session, turns: [turn.id, second, third] as const };
}

const transcriptOf = async (id: SessionId) =>
  (await server.owner.ask("getTranscript", { params: { id } })).items;

it("a session's title and a copy's are cut between characters", async () => {
  const { owner } = server;
  const first = `${"a".repeat(58)}😀😀 and so on`;
  const { session, turn } = await startTurn(owner, drone, first);
  await drone.complete(turn.id, true);
  const titleOf = async () =>
    (await owner.ask("getSession", { params: { id: session.id } })).session.title;
  expect(await titleOf()).toBe(`${"a".repeat(58)}…`);

  const last = await prompt(session.id, "And another thing");
  await drone.complete(last, true);
  // The words that a copy puts in front leave no room for the end of a long title.
  const title = `${"b".repeat(191)}😀`;
  await owner.ask("updateSession", { params: { id: session.id }, body: { title } });
  const { session: copy } = await owner.ask("forkSession", {
    params: { id: session.id },
    body: { before: last },
  });
  expect(copy.title).toBe(`Copy of ${"b".repeat(191)}`);
});

describe("a copy of a session", () => {
  it("holds the turns before the one that is named, and its model is told the same past", async () => {
    const { owner } = server;
    const { session, turns } = await threeTurns();
    const past = await pastOf(turns[2]);
    await drone.complete(turns[2], true);
    const before = await transcriptOf(session.id);

    const { session: copy } = await owner.ask("forkSession", {
      params: { id: session.id },
      body: { before: turns[2] },
    });
    expect(copy).toMatchObject({
      title: "Copy of Count to three",
      projectId: session.projectId,
      model: session.model,
      lastTurn: { status: "error" },
    });
    const shown = await transcriptOf(copy.id);
    expect(shown.map(({ turn }) => turn.prompt)).toEqual(["Now to four", "Count to three"]);
    expect(shown.map(({ transcript }) => transcript.parts)).toEqual(
      before.slice(1).map(({ transcript }) => transcript.parts),
    );
    for (const { turn, transcript } of shown) {
      expect(turns).not.toContain(turn.id);
      expect(turn).toMatchObject({ filesChanged: [], sessionId: copy.id });
      expect(turn.status).toBe(transcript.status);
    }

    const again = await prompt(copy.id, "Now to six");
    expect(await pastOf(again)).toEqual(past);
    await drone.complete(again, true);
    expect(await transcriptOf(session.id)).toEqual(before);
  });

  it("is made while the named turn runs, and is empty before the first", async () => {
    const { session, turns } = await threeTurns();
    const body = { before: turns[2] };
    const { session: copy } = await server.owner.ask("forkSession", {
      params: { id: session.id },
      body,
    });
    expect(await transcriptOf(copy.id)).toHaveLength(2);
    const { session: copyOfCopy } = await server.owner.ask("forkSession", {
      params: { id: session.id },
      body: { before: turns[0] },
    });
    expect(await transcriptOf(copyOfCopy.id)).toEqual([]);
    expect(copyOfCopy.lastTurn).toBeUndefined();
    await drone.complete(turns[2], true);
  });

  it("goes by the summary that its turns told of, not by a later one", async () => {
    const { session, turns } = await threeTurns();
    const compact = (turnId: TurnId, summary: string, throughTurnId: TurnId) =>
      drone.send(turnId, { type: "history:compacted", summary, throughTurnId });
    await compact(turns[2], "counted to four", turns[1]);
    await drone.complete(turns[2], true);
    const fourth = await prompt(session.id, "Go on");
    const past = await pastOf(fourth);
    expect(JSON.stringify(past[0])).toContain("counted to four");
    await compact(fourth, "counted to five", turns[2]);
    await drone.complete(fourth, true);
    const copyBefore = async (before: TurnId) =>
      (await server.owner.ask("forkSession", { params: { id: session.id }, body: { before } }))
        .session;

    const again = await prompt((await copyBefore(fourth)).id, "Go on");
    expect(await pastOf(again)).toEqual(past);
    await drone.complete(again, true);
    const without = await prompt((await copyBefore(turns[2])).id, "Go on");
    expect(JSON.stringify(await pastOf(without))).not.toContain("counted");
    await drone.complete(without, true);
  });

  it("outlives the session that it was made of", async () => {
    const { owner } = server;
    const { session, turns } = await threeTurns();
    await drone.complete(turns[2], true);
    const { session: copy } = await owner.ask("forkSession", {
      params: { id: session.id },
      body: { before: turns[1] },
    });
    await owner.ask("deleteSession", { params: { id: session.id } });
    const [only] = await transcriptOf(copy.id);
    expect(JSON.stringify(only?.transcript.parts)).toContain("One, two, three.");
  });

  it("is refused for a turn of another session, and where it would be too long", async () => {
    const { owner, member } = server;
    const { session, turns } = await threeTurns();
    await drone.complete(turns[2], true);
    const { items } = await owner.ask("listProjects");
    const [project] = items;
    if (project === undefined) {
      throw new Error("There is no project.");
    }
    const long = await storeSession(server, project.id, 1_002, () => []);
    const refusal = async (id: SessionId, before: TurnId, person = owner) =>
      (await person.refusal("forkSession", { params: { id }, body: { before } }))?.code;
    expect(await refusal(session.id, long.turnIds[1] as TurnId)).toBe("not_found");
    expect(await refusal(newId(SessionId), turns[1])).toBe("not_found");
    expect(await refusal(session.id, turns[1], member)).toBe("not_found");
    expect(await refusal(long.sessionId, long.turnIds[1_001] as TurnId)).toBe("too_large");
    expect(await refusal(long.sessionId, long.turnIds[1_000] as TurnId)).toBeUndefined();
  });
});
