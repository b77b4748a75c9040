import {
  CallId,
  newId,
  type ProjectId,
  SessionId,
  type TurnEvent,
  type TurnEventBody,
  TurnId,
} from "@gadget/api";
import type { StoredTurn } from "../src/models/chat-turn.ts";
import type { StoredBatch } from "../src/models/turn-events.ts";
import type { TestServer } from "./server.ts";

const words = "const return await session turn drone signal abort error value event number".split(
  " ",
);

/** Text that does not repeat, so that nothing is small by accident. */
function longText(seed: number, length: number): string {
  let text = "";
  for (let n = seed + 1; text.length < length; n = (n * 48_271) % 2_147_483_647) {
    text += `${words[n % words.length]}${n.toString(36)}${n % 7 === 0 ? "\n" : " "}`;
  }
  return text.slice(0, length);
}

/** One step: a few words and a command that printed more than is shown at first. */
export function longStep(step: number): TurnEventBody[] {
  const callId = CallId.parse(`call-${step}`);
  const input = { command: `echo ${longText(step, 60)}` };
  const output = longText(step, 6_000);
  const text = `Step ${step}: ${longText(step, 300)}`;
  return [
    { type: "text:start", partId: `p${step}` },
    { type: "text:end", partId: `p${step}`, text },
    { type: "tool:start", callId, name: "shell" },
    {
      type: "tool:end",
      callId,
      name: "shell",
      outcome: "finished",
      input,
      output,
      text: `${output}\nexit 0`,
      durationMs: 12,
    },
  ];
}

/** A session as it is in the database after so many turns; `bodies` says what happened in each. */
export async function storeSession(
  { database: { models }, owner }: TestServer,
  projectId: ProjectId,
  turns: number,
  bodies: (index: number) => TurnEventBody[],
): Promise<{ sessionId: SessionId; turnIds: TurnId[] }> {
  const sessionId = newId(SessionId);
  const startedAt = Date.now() - turns * 60_000;
  const stored: StoredTurn[] = [];
  const batches: StoredBatch[] = [];
  for (let index = 0; index < turns; index += 1) {
    const at = new Date(startedAt + index * 60_000);
    const turn: StoredTurn = {
      _id: newId(TurnId),
      owner: owner.user.id,
      sessionId,
      projectId,
      droneId: null,
      prompt: `Prompt ${index}: ${longText(index, 120)}`,
      status: "finished",
      createdAt: at,
      startedAt: at,
      settledAt: at,
      usage: { inputTokens: 1_000, outputTokens: 500 },
      filesChanged: [],
      epoch: 1,
    };
    const log: TurnEventBody[] = [
      { type: "turn:changed", status: "queued" },
      ...bodies(index),
      { type: "turn:changed", status: "finished" },
    ];
    const events = log.map((body, before): TurnEvent => {
      return { turnId: turn._id, seq: before + 1, epoch: 1, at: at.toISOString(), ...body };
    });
    stored.push(turn);
    const { _id: turnId } = turn;
    batches.push({ _id: turnId, turnId, owner: turn.owner, from: 1, to: events.length, events });
  }
  const at = new Date();
  await models.sessions.create([
    {
      _id: sessionId,
      owner: owner.user.id,
      projectId,
      droneId: null,
      title: "A long session",
      titled: true,
      providerId: null,
      model: null,
      approval: "edits",
      allowed: [],
      createdAt: new Date(startedAt),
      updatedAt: at,
    },
  ]);
  await models.turns.insertMany(stored);
  await models.batches.insertMany(batches);
  return { sessionId, turnIds: stored.map(({ _id }) => _id) };
}

/** 2,000 turns: ten commands in each of the latest hundred, short answers further back. */
export async function storeLongSession(server: TestServer) {
  const { items } = await server.owner.ask("listProjects");
  const [project] = items;
  if (project === undefined) {
    throw new Error("There is no project.");
  }
  return storeSession(server, project.id, 2_000, (index) =>
    index < 1_900
      ? [
          { type: "text:start", partId: "p" },
          { type: "text:end", partId: "p", text: longText(index, 400) },
        ]
      : Array.from({ length: 10 }, (_, step) => longStep(step)).flat(),
  );
}
