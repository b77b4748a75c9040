import { setTimeout as delay } from "node:timers/promises";
import { ask, ideCommands, newId, type SessionId, TurnId } from "@gadget/api";
import { eventually } from "@gadget/testing/eventually";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPage, type Page } from "../../gadget-code/test/page.ts";
import { SmallDisk } from "./support/small-disk.ts";
import { Stack } from "./support/stack.ts";
import { Story } from "./support/story.ts";
import { textOf, transcriptOf } from "./support/turn-watch.ts";

const full = { code: "unavailable", message: expect.stringMatching(/disk is full/) };
const patienceMs = 20_000;
/** Two heartbeats and some tries of a connection. */
const stretchMs = 20_000;
/** What one process may say of it in that time. */
const mostLines = 10;

let disk: SmallDisk;
let stack: Stack;
let page: Page;
beforeEach(async () => {
  disk = await SmallDisk.make(48);
  stack = await Stack.start({ env: { GADGET_DATA_DIR: disk.folder } });
  page = await openPage(stack.urlOf(), { token: stack.token, cookie: "" });
});
afterEach(async () => {
  page.close();
  await stack.stop();
  await disk.remove();
});

/** A turn whose model tells a story until it is stopped. */
async function telling() {
  const story = new Story();
  stack.model.answer((call) => story.tell(call, 10, () => false));
  const sessionId = await stack.newSession();
  const { id } = await stack.submit(sessionId, "Tell me a story.");
  const watch = stack.watch(id);
  await eventually("the story is shown", () => watch.text.length > 40);
  return { id, sessionId, watch };
}

const submitByPage = (sessionId: SessionId) => {
  const prompt = { sessionId, turnId: newId(TurnId), prompt: "More." };
  return ask(page.socket, ideCommands, "submitPrompt", [prompt], patienceMs);
};

async function answersAgain(): Promise<void> {
  stack.model.answer((call) => {
    call.text("Here I am.");
    call.end();
  });
  const { id } = await stack.submit(await stack.newSession(), "Still there?");
  expect(await stack.settled(id)).toMatchObject({ status: "finished" });
}

/** Lines of the log. The embedded database and its store print at each commit that fails. */
const lines = (text: string): number =>
  text.split("\n").filter((line) => line.startsWith("{") && !line.includes("embedded database"))
    .length;

describe("the disk of the server is full", () => {
  it("A14 it says so, reads, ends the turn that runs, and goes on when there is room", async () => {
    const { id, watch } = await telling();
    const other = await stack.newSession();
    await disk.fill(stack.nodeAt().pid);
    const said = stack.nodeAt().story.length;
    const saidByDrone = stack.droneAt().process.story.length;
    await delay(stretchMs);

    expect((await fetch(`${stack.urlOf()}/healthz`)).status).toBe(200);
    await expect(stack.submit(other, "More.")).rejects.toMatchObject(full);
    await expect(submitByPage(other)).rejects.toMatchObject(full);
    expect(await stack.turn(id)).toMatchObject({ status: "processing" });
    const answer = await ask(page.socket, ideCommands, "abortWorkOrder", [id], patienceMs);
    expect(answer).toEqual({ success: true, message: "Abort signaled" });
    await stack.model.calls.at(-1)?.closed;
    expect(lines(stack.nodeAt().story.slice(said))).toBeLessThanOrEqual(mostLines);
    expect(lines(stack.droneAt().process.story.slice(saidByDrone))).toBe(0);
    // A limit on files can't be seen before it is met.
    expect((await fetch(`${stack.urlOf()}/readyz`)).status).toBe(disk.isMounted ? 503 : 200);

    await disk.makeRoom();
    expect(await stack.settled(id)).toMatchObject({ status: "aborted", stopped: { left: 0 } });
    await watch.ended;
    expect(textOf(transcriptOf(id, await stack.events(id)))).toBe(watch.text);
    await answersAgain();
    expect((await fetch(`${stack.urlOf()}/readyz`)).status).toBe(200);
  }, 120_000);

  it("a cancel that nobody can hear names the disk, and a drone that comes back waits", async () => {
    const sessionId = await stack.newSession();
    await stack.droneAt().process.kill();
    const { id } = await stack.submit(sessionId, "Later.");
    await disk.fill(stack.nodeAt().pid);
    await expect(stack.cancel(id)).rejects.toMatchObject(full);
    const answer = await ask(page.socket, ideCommands, "abortWorkOrder", [id], patienceMs);
    expect(answer).toEqual({ success: false, message: full.message });

    const drone = stack.droneAt().process;
    const said = stack.nodeAt().story.length;
    drone.launch();
    await eventually("it is told", () => drone.output.includes("disk is full"), patienceMs);
    await delay(stretchMs);
    expect(drone.output.match(/did not answer the hello/g)).toHaveLength(1);
    expect(lines(drone.output)).toBeLessThanOrEqual(mostLines);
    expect(lines(stack.nodeAt().story.slice(said))).toBeLessThanOrEqual(mostLines);

    await disk.makeRoom();
    await eventually("it is online", () => drone.output.includes("is online"), 40_000);
    await stack.cancel(id).catch(() => {});
    await stack.settled(id);
    await answersAgain();
  }, 120_000);
});
