import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ask, brokenCover, ideCommands, isTerminal, type TurnId } from "@gadget/api";
import { eventually } from "@gadget/testing/eventually";
import { afterEach, describe, expect, it } from "vitest";
import { openPage } from "../../gadget-code/test/page.ts";
import { beating, grows, sizeOf } from "./support/beating.ts";
import { Stack, type StackOptions } from "./support/stack.ts";
import { Story } from "./support/story.ts";
import { textOf, transcriptOf } from "./support/turn-watch.ts";

let stack: Stack;
afterEach(() => stack.stop());

const start = async (options: StackOptions = {}) => {
  stack = await Stack.start(options);
};
const waitMs = 45_000;

/** A turn whose model tells a story until the test lets it end. */
async function telling(everyMs = 10) {
  const story = new Story();
  let over = false;
  stack.model.answer((call) => story.tell(call, everyMs, () => over));
  const sessionId = await stack.newSession();
  const { id } = await stack.submit(sessionId, "Tell me a story.");
  const watch = stack.watch(id);
  await eventually("the story is shown", () => watch.text.length > 40);
  return { id, sessionId, story, watch, end: () => (over = true) };
}

/** A turn whose command beats into a file. */
async function working() {
  const file = join(stack.droneAt().folder, "projects/beat");
  stack.model.answerWithTools(["shell", { command: beating(file) }]);
  const sessionId = await stack.newSession();
  const { id } = await stack.submit(sessionId, "Beat.");
  await eventually("the command runs", () => grows(file));
  return { id, sessionId, file };
}

async function storedText(id: TurnId): Promise<string> {
  // The status is written first, then the end of the log.
  await eventually("its log has ended", async () => (await stack.events(id)).some(isTerminal));
  const events = await stack.events(id);
  expect(brokenCover(events, 0)).toBeUndefined();
  expect(events.filter(isTerminal)).toHaveLength(1);
  expect(events.at(-1)).toSatisfy(isTerminal);
  return textOf(transcriptOf(id, events));
}

async function answersAgain(sessionId: Parameters<Stack["submit"]>[0]): Promise<void> {
  stack.model.answer((call) => {
    call.text("Here I am.");
    call.end();
  });
  const { id } = await stack.submit(sessionId, "Still there?");
  expect(await stack.settled(id)).toMatchObject({ status: "finished" });
}

describe("the server is killed", () => {
  it("A36 in the middle of a turn: the drone comes back, and nothing is lost or doubled", async () => {
    await start();
    const { id, story, watch, end } = await telling();
    await stack.nodeAt().kill();
    const before = story.sent.length;
    await eventually("the model goes on meanwhile", () => story.sent.length > before + 200);
    await stack.nodeAt().start();
    const shown = watch.text.length;
    await eventually("the page catches up", () => watch.text.length > shown + 300, waitMs);
    end();
    expect(await stack.settled(id)).toMatchObject({ status: "finished" });
    await watch.ended;
    expect(watch.faults).toEqual([]);
    expect(watch.text).toBe(story.sent);
    expect(await storedText(id)).toBe(story.sent);
  });

  it("A36 in the middle of an abort: it settles as aborted, and nothing of it runs", async () => {
    await start();
    const { id, sessionId, file } = await working();
    const drone = stack.droneAt();
    drone.process.pause();
    expect(await stack.cancel(id)).toMatchObject({ status: "aborting" });
    await stack.nodeAt().kill();
    drone.process.resume();
    await stack.nodeAt().start();
    expect(await stack.settled(id)).toMatchObject({
      status: "aborted",
      abortedBy: expect.anything(),
    });
    expect(await grows(file)).toBe(false);
    await storedText(id);
    await answersAgain(sessionId);
  });
});

describe("the drone", () => {
  it("A19 killed and started again has lost its turn: interrupted at once, the session usable, the queue untouched", async () => {
    await start({ capacity: 1 });
    const { id, sessionId, story, watch } = await telling();
    const other = await stack.newSession();
    const queued = await stack.submit(other, "Later.");
    expect((await stack.turn(queued.id)).status).toBe("queued");
    await stack.droneAt().process.kill();
    expect((await stack.turn(queued.id)).status).toBe("queued");
    stack.model.answer((call) => {
      call.text("Here I am.");
      call.end();
    });
    await stack.droneAt().process.start();
    expect(await stack.settled(id)).toMatchObject({ status: "interrupted" });
    await watch.ended;
    const stored = await storedText(id);
    expect(story.sent.startsWith(stored)).toBe(true);
    expect(stored.length).toBeGreaterThan(0);
    expect(await stack.settled(queued.id)).toMatchObject({ status: "finished" });
    await answersAgain(sessionId);
  });

  it("A34 stopped past its grace kills its work when it is awake, and writes nothing", async () => {
    await start({ graceSeconds: 3 });
    const { id, sessionId, file } = await working();
    const drone = stack.droneAt();
    drone.process.pause();
    expect(await stack.settled(id)).toMatchObject({ status: "interrupted" });
    await eventually("its command dies", async () => !(await grows(file)));
    const size = await sizeOf(file);
    const events = await stack.events(id);
    drone.process.resume();
    // Also where the prompt meets the old connection on its way out.
    await answersAgain(sessionId);
    expect(await stack.events(id)).toEqual(events);
    expect(await stack.turn(id)).toMatchObject({ status: "interrupted" });
    expect(await sizeOf(file)).toBe(size);
  });

  it("A34 that gave its turn up, and is heard again on the same connection, says so", async () => {
    await start({ graceSeconds: 10 });
    const { id, sessionId, file } = await working();
    const { proxy } = stack.droneAt();
    proxy.stall();
    expect(await stack.cancel(id)).toMatchObject({ status: "aborting" });
    // It lets go a little before the server would.
    await eventually("its command dies", async () => !(await grows(file)), waitMs);
    proxy.open();
    expect(await stack.settled(id)).toMatchObject({ status: "aborted" });
    await storedText(id);
    await answersAgain(sessionId);
  });

  it("A34 works on while it is heard, however short its grace is", async () => {
    await start({ graceSeconds: 2 });
    const { id, story, watch, end } = await telling();
    await delay(5_000);
    end();
    expect(await stack.settled(id)).toMatchObject({ status: "finished" });
    await watch.ended;
    expect(await storedText(id)).toBe(story.sent);
  });

  it("A33 cut off when its turn is aborted learns of it when it is back", async () => {
    await start();
    const { id, sessionId, file } = await working();
    const { proxy } = stack.droneAt();
    proxy.cut();
    await eventually("the abort can't be delivered", async () => {
      const signal = stack.signal();
      const params = { id };
      const { message } = await stack.client().request("cancelTurn", { params, signal });
      return message?.startsWith("The drone is unreachable") || message === "Already aborting";
    });
    expect(await stack.turn(id)).toMatchObject({ status: "aborting" });
    expect(await grows(file)).toBe(true);
    proxy.open();
    expect(await stack.settled(id)).toMatchObject({ status: "aborted" });
    expect(await grows(file)).toBe(false);
    await answersAgain(sessionId);
  });

  it("A35 behind a connection that stalls loses nothing", async () => {
    await start();
    const { id, story, watch, end } = await telling();
    const { proxy } = stack.droneAt();
    proxy.stall();
    const before = story.sent.length;
    await eventually("the model goes on", () => story.sent.length > before + 300);
    proxy.cut();
    await delay(300);
    proxy.open();
    end();
    expect(await stack.settled(id)).toMatchObject({ status: "finished" });
    await watch.ended;
    expect(watch.faults).toEqual([]);
    expect(await storedText(id)).toBe(story.sent);
  });
});

describe("the database", () => {
  it.each(["stopped", "killed"] as const)("%s for ten seconds: nothing is lost", async (how) => {
    await start({ ownDatabase: true });
    const { database } = stack;
    const { id, story, watch, end } = await telling();
    if (how === "stopped") {
      database?.pause();
    } else {
      await database?.kill();
    }
    await delay(10_000);
    if (how === "stopped") {
      database?.resume();
    } else {
      await database?.start();
    }
    const before = story.sent.length;
    await eventually("the model goes on", () => story.sent.length > before + 100);
    end();
    expect(await stack.settled(id)).toMatchObject({ status: "finished" });
    await watch.ended;
    expect(watch.faults).toEqual([]);
    expect(watch.text).toBe(story.sent);
    expect(await storedText(id)).toBe(story.sent);
  });

  it("A14 stopped delays no abort: the model's connection closes and the processes die", async () => {
    await start({ ownDatabase: true });
    const { id, sessionId, file } = await working();
    const page = await openPage(stack.urlOf(), { token: stack.token, cookie: "" });
    stack.database?.pause();
    const asked = ask(page.socket, ideCommands, "abortWorkOrder", [id], 60_000);
    await eventually("the command dies", async () => !(await grows(file)), 5_000);
    stack.database?.resume();
    expect(await asked).toMatchObject({ success: true });
    expect(await stack.settled(id)).toMatchObject({ status: "aborted" });
    page.close();
    await storedText(id);
    await answersAgain(sessionId);
  });
});
