import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ask,
  brokenCover,
  type ChatTurn,
  ideCommands,
  isTerminal,
  newId,
  TurnId,
} from "@gadget/api";
import { eventually } from "@gadget/testing/eventually";
import type { ModelCall } from "@gadget/testing/scripted-model";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPage, type Page } from "../../gadget-code/test/page.ts";
import { SlowDatabase } from "../../gadget-code/test/slow-database.ts";
import { buildBundles, root } from "../../packages/cli/test/support/build.ts";
import { beating, grows } from "./support/beating.ts";
import { PartProcess } from "./support/part-process.ts";
import { Stack } from "./support/stack.ts";
import { Story } from "./support/story.ts";
import { textOf, transcriptOf } from "./support/turn-watch.ts";

const writeMs = 5_000;
/** Less than one write, and more than a busy machine adds. */
const inTimeMs = 4_000;
/** The second in which a cancel is answered, and what a busy machine adds. */
const answerMs = 2_000;
const settleMs = 90_000;

let folder: string;
let process: PartProcess;
let database: SlowDatabase;
let stack: Stack;
let page: Page;

beforeAll(async () => {
  await buildBundles();
  folder = await mkdtemp(join(tmpdir(), "gadget-slow-"));
  const main = join(root, "packages/embedded-mongo/dist/embedded-mongo.mjs");
  const args = [main, "--port=0", `--data=${folder}`];
  process = new PartProcess(() => ({ args, cwd: root, env: {}, ready: /mongodb:\S+/ }));
  const [uri] = await process.start();
  database = await SlowDatabase.start(uri);
  stack = await Stack.start({ capacity: 3, env: { MONGODB_URI: database.uri } });
  page = await openPage(stack.urlOf(), { token: stack.token, cookie: "" });
}, 120_000);

afterAll(async () => {
  page?.close();
  await stack?.stop();
  await database?.stop();
  await process?.kill();
  await rm(folder, { recursive: true, force: true });
});

const beatFile = (name: string) => join(stack.droneAt().folder, "projects", name);

/** Tells a story, or beats into the file that the prompt names. */
function script(story: Story): Map<string, ModelCall> {
  const calls = new Map<string, ModelCall>();
  stack.model.answer((call) => {
    const [, word = "", file = ""] = /(Tell|Beat) (\w+)/.exec(call.prompt) ?? [];
    calls.set(file, call);
    if (word === "Tell") {
      return story.tell(call, 10, () => false);
    }
    if (call.toolResults.length > 0) {
      call.text("Done.");
    } else {
      call.tool("shell", { command: beating(beatFile(file)) });
    }
    return call.end();
  });
  return calls;
}

async function submit(prompt: string): Promise<TurnId> {
  return (await stack.submit(await stack.newSession(), prompt)).id;
}

async function timed<T>(work: Promise<T>): Promise<{ answer: T; ms: number }> {
  const begun = performance.now();
  return { answer: await work, ms: performance.now() - begun };
}

const cancelled = (id: TurnId, force = false) => {
  const query = force ? { force: "true" as const } : {};
  return stack.client().request("cancelTurn", { params: { id }, query, signal: stack.signal() });
};

async function aborted(id: TurnId): Promise<ChatTurn> {
  const settled = async () => {
    const turn = await stack.turn(id);
    return turn.settledAt !== undefined && turn;
  };
  const turn = await eventually(`${id} settles`, settled, settleMs);
  expect(turn).toMatchObject({ status: "aborted", abortedBy: expect.anything() });
  const events = await eventually(
    `${id} has its last event`,
    async () => {
      const stored = await stack.events(id);
      return stored.some(isTerminal) && stored;
    },
    settleMs,
  );
  expect(brokenCover(events, 0)).toBeUndefined();
  expect(events.filter(isTerminal)).toHaveLength(1);
  expect(events.at(-1)).toSatisfy(isTerminal);
  return turn;
}

describe("a database that needs 5 s a write", () => {
  it("A14 delays no abort: connections close and processes die in time, the answer comes, the end is stored later", async () => {
    const story = new Story();
    const calls = script(story);
    const told = await submit("Tell story");
    const watch = stack.watch(told);
    const beaten = await submit("Beat one");
    const forced = await submit("Beat two");
    await eventually("the story is shown", () => watch.text.length > 40);
    for (const name of ["one", "two"]) {
      await eventually(`command ${name} runs`, () => grows(beatFile(name)));
    }
    const queued = await submit("Tell nothing");
    expect((await stack.turn(queued)).status).toBe("queued");

    const sessionId = await stack.newSession();
    database.writeMs = writeMs;
    const begun = performance.now();
    const overRest = timed(cancelled(told));
    const socketAsk = ask(page.socket, ideCommands, "abortWorkOrder", [beaten], 60_000);
    const overSocket = timed(socketAsk);
    const byForce = timed(cancelled(forced, true));
    const early = timed(cancelled(queued));
    const arriving = newId(TurnId);
    const sent = { sessionId, turnId: arriving, prompt: "Tell nothing" };
    const submitted = ask(page.socket, ideCommands, "submitPrompt", [sent], 60_000);
    const behind = timed(ask(page.socket, ideCommands, "abortWorkOrder", [arriving], 60_000));
    const closed = (await calls.get("story")?.closed) ?? Number.NaN;
    expect(closed - begun).toBeLessThan(inTimeMs);
    for (const name of ["one", "two"]) {
      await eventually(
        `command ${name} dies`,
        async () => !(await grows(beatFile(name))),
        inTimeMs,
      );
    }
    expect(performance.now() - begun).toBeLessThan(writeMs);
    for (const { ms, answer } of await Promise.all([overRest, byForce, early])) {
      expect(answer.turn.status).toMatch(/^abort(ing|ed)$/);
      expect(ms).toBeLessThan(answerMs);
    }
    expect(await overSocket).toMatchObject({
      answer: { success: true, message: "Abort signaled" },
    });
    expect(await behind).toMatchObject({ answer: { success: true } });
    for (const { ms } of [await overSocket, await behind]) {
      expect(ms).toBeLessThan(answerMs);
    }
    expect(database.held).toBeGreaterThan(0);
    for (const id of [told, beaten, queued]) {
      expect((await stack.turn(id)).status).toMatch(/^abort(ing|ed)$/);
    }

    await aborted(told);
    database.writeMs = 0;
    await submitted;
    await Promise.all([beaten, forced, queued, arriving].map(aborted));
    await watch.ended;
    expect(watch.faults).toEqual([]);
    const stored = textOf(transcriptOf(told, await stack.events(told)));
    expect(stored).toBe(watch.text);
    expect(story.sent.startsWith(stored)).toBe(true);
    expect(stack.model.calls.some(({ prompt }) => prompt.includes("Tell nothing"))).toBe(false);
  }, 150_000);
});
