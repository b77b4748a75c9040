import { newId, SessionId, TurnId } from "@gadget/api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectDrone } from "../scripted-drone.ts";
import { startServer, type TestServer } from "../server.ts";
import { meanwhile, ServerProcess } from "../server-process.ts";

/** Generous: a quiet machine answers in milliseconds. */
const slowestAnswer = 5_000;

describe("a member who fills the database and searches in it", () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await ServerProcess.start();
    const { member } = server;
    // Never connected again: the prompts wait, so that no model is asked.
    const drone = await connectDrone(server, member);
    drone.close();
    const { project } = await member.ask("createProject", {
      body: { name: "P", droneId: drone.id },
    });
    const prompt = "a".repeat(200_000);
    for (let made = 0; made < 150; made += 1) {
      const { session } = await member.ask("createSession", { params: { id: project.id } });
      await member.ask("submitTurn", { params: { id: session.id }, body: { prompt } });
    }
  }, 240_000);
  afterAll(() => server.stop());

  it("leaves the owner their answers, also when nobody waits for the searches any more", async () => {
    const q = `${"a".repeat(198)}c0`;
    const leaving = new AbortController();
    const searches = Array.from({ length: 20 }, (_, index) =>
      fetch(`${server.url}/api/v1/search?q=${q}`, {
        headers: { authorization: `Bearer ${server.member.token}` },
        ...(index >= 10 && { signal: leaving.signal }),
      }).then(
        async (response) => {
          await response.text();
          return response.status;
        },
        () => "left",
      ),
    );
    const attack = Promise.all(searches);
    setTimeout(() => leaving.abort(), 500);
    const took = await meanwhile(server.owner, attack);
    expect(Math.max(...took)).toBeLessThan(slowestAnswer);
    const answers = await attack;
    expect(answers.every((answer) => [200, 429, "left"].includes(answer))).toBe(true);
    expect(answers).toContain(200);
    expect(answers).toContain(429);
  }, 120_000);
});

describe("what one person may have", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  it("is 5,000 sessions and 200 prompts that wait, said in a sentence", async () => {
    const { member, database } = server;
    const drone = await connectDrone(server, member);
    drone.close();
    const { project } = await member.ask("createProject", {
      body: { name: "P", droneId: drone.id },
    });
    const params = { id: project.id };
    const { session } = await member.ask("createSession", { params });
    const { models } = database;
    const [stored] = await models.sessions.find({ _id: session.id }).lean();
    if (stored === undefined) {
      throw new Error("It is not stored.");
    }
    const owner = member.user.id;
    await models.turns.insertMany(
      Array.from({ length: 200 }, () => ({
        _id: newId(TurnId),
        owner,
        sessionId: newId(SessionId),
        projectId: project.id,
        droneId: drone.id,
        prompt: "wait",
        status: "queued" as const,
        unsettled: true as const,
        createdAt: new Date(),
        usage: { inputTokens: 0, outputTokens: 0 },
        filesChanged: [],
        epoch: 0,
      })),
    );
    const submit = { params: { id: session.id }, body: { prompt: "one more" } };
    expect(await member.refusal("submitTurn", submit)).toMatchObject({
      code: "queue_full",
      message: expect.stringContaining("200 of your prompts wait") as unknown,
    });
    const most = Array.from({ length: 4_999 }, () => ({ ...stored, _id: newId(SessionId) }));
    await models.sessions.insertMany(most);
    expect(await member.refusal("createSession", { params })).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("as many as one person may have") as unknown,
    });
    const { items } = await server.owner.ask("listProjects");
    const own = { params: { id: items[0]?.id ?? project.id } };
    expect(await server.owner.refusal("createSession", own)).toBeUndefined();
  });
});
