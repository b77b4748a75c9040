import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { argumentLimits } from "@gadget/ai";
import { deepestInput, withinDepth } from "@gadget/api";
import { eventually } from "@gadget/testing/eventually";
import { ScriptedModel } from "@gadget/testing/scripted-model";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DroneChild } from "./support/drone-child.ts";
import { type Call, floods, manyNames, nested, stars } from "./support/floods.ts";
import { marksServer } from "./support/marks-server.ts";
import { TestServer } from "./support/test-server.ts";

// A drone of its own process: where it stands still, its test must not.
let server: TestServer;
let model: ScriptedModel;
let child: DroneChild;
let folder: string;
let pages: Awaited<ReturnType<typeof marksServer>>;

beforeAll(async () => {
  [server, model, pages] = await Promise.all([
    TestServer.start(),
    ScriptedModel.start(),
    marksServer(),
  ]);
  folder = await realpath(await mkdtemp(join(tmpdir(), "gadget-thread-")));
});
afterAll(async () => {
  await child?.end();
  await Promise.all([server.stop(), model.stop()]);
  pages.close();
  await rm(folder, { recursive: true, force: true });
});

/** One drone for all floods, and another one where a flood has drowned it. */
async function startDrone(): Promise<void> {
  if (child?.process.exitCode === null && child.process.signalCode === null) {
    return;
  }
  const greeted = server.hellos.length;
  const again = greeted === 0 ? ["--server", server.url, "--enroll", "good-code-123"] : [];
  const env = { GADGET_LOG_LEVEL: "warn", GADGET_FETCH_INNER: "1", GADGET_ROOTS: folder };
  child = new DroneChild(["--data", join(folder, "data"), ...again], env);
  await eventually("the drone greets", () => server.hellos[greeted], 60_000);
}

it.each(floods)(
  "A54 %s: another turn's abort settles meanwhile",
  async (_, prepare) => {
    const directory = await mkdtemp(join(folder, "flood-"));
    const calls = await prepare({ at: directory, site: pages.site });
    expect(await abortedMeanwhile(directory, calls)).toEqual(["aborted", "aborted"]);
  },
  120_000,
);

/** How another turn and the busy one ended, which were aborted one after the other. */
async function abortedMeanwhile(directory: string, calls: Call[]) {
  await startDrone();
  const source = { kind: "directory" as const, directory };
  const answered = { flood: false, sleep: false };
  model.answer((asked) => {
    if (asked.prompt.includes("Be busy") && !answered.flood) {
      answered.flood = true;
      for (const [name, text] of calls) {
        asked.toolWith(name, text);
      }
      asked.end();
    } else if (!answered.sleep) {
      answered.sleep = true;
      asked.tool("shell", { command: "echo here; exec sleep 300" });
      asked.end();
    }
    // What is asked afterwards waits for the abort.
  });
  const provider = { kind: "openai" as const, baseUrl: model.baseUrl, apiKey: "key" };
  const other = server.order({ provider });
  await server.submit(other);
  await server.event(other.turnId, "tool:output");
  const busy = server.order({
    provider,
    prompt: "Be busy",
    workspace: { source, environment: [] },
  });
  await server.submit(busy);
  const { turnId } = busy;
  try {
    const begun = performance.now();
    await eventually("the flood is at work", () => {
      const ended = server.eventsOf(turnId, "tool:end").length;
      return ended >= calls.length || performance.now() - begun > 1_500;
    });
    const ends: (string | undefined)[] = [];
    for (const turn of [other, busy]) {
      const asked = performance.now();
      expect(await server.abort(turn.turnId)).toMatchObject({ success: true });
      const { message } = await server.completed(turn.turnId, 20_000);
      ends.push(message);
      // Its deadline is 5 s; a machine under load takes its time, a drone that stands still all of it.
      expect(performance.now() - asked).toBeLessThan(10_000);
    }
    // Every thread of the pool is free again, and no tool was left behind.
    const read = await server.ask("readWorkspace", [{ source, path: "" }]);
    expect(read.kind).toBe("folder");
    const notices = server.eventsOf(turnId, "notice");
    expect(notices.filter(({ code }) => code === "abort")).toEqual([]);
    return ends;
  } catch (error) {
    await child.end();
    throw error;
  }
}

it("A54 of a folder of too many names so many are looked at, and it is said; another turn's abort settles meanwhile", async () => {
  const directory = await mkdtemp(join(folder, "many-"));
  const calls = manyNames(directory);
  await startDrone();
  const source = { kind: "directory" as const, directory };
  model.answerWithTools(["list_files", {}]);
  const order = server.order({
    provider: { kind: "openai", baseUrl: model.baseUrl, apiKey: "key" },
    workspace: { source, environment: [] },
  });
  await server.submit(order);
  await server.completed(order.turnId);
  const [end] = server.eventsOf(order.turnId, "tool:end");
  const listed = end?.text.split("\n") ?? [];
  expect(listed).toHaveLength(1_001);
  expect(listed.at(-1)).toBe("[19000 more, and others that were not looked at]");
  const read = await server.ask("readWorkspace", [{ source, path: "" }]);
  expect(read.kind === "folder" && read.entries.length).toBe(5_000);
  expect(await abortedMeanwhile(directory, calls)).toEqual(["aborted", "aborted"]);
}, 120_000);

it("A54 searches for names among very many: another turn's abort settles meanwhile", async () => {
  await startDrone();
  const directory = await mkdtemp(join(folder, "names-"));
  const source = { kind: "directory" as const, directory };
  await writeFile(join(directory, ".gitignore"), `${stars}\n`.repeat(500));
  for (let index = 0; index < 20; index++) {
    const within = join(directory, `${index}`);
    await mkdir(within);
    await Promise.all(
      Array.from({ length: 1_100 }, (_, name) => writeFile(join(within, `${name}.a.a.a.ts`), "")),
    );
  }
  model.answer((asked) => {
    asked.tool("shell", { command: "echo here; exec sleep 300" });
    asked.end();
  });
  const order = server.order({
    provider: { kind: "openai", baseUrl: model.baseUrl, apiKey: "key" },
  });
  await server.submit(order);
  await server.event(order.turnId, "tool:output");
  const find = (index: number, wanted: string) =>
    server.ask("findFiles", [{ source, requestId: `find-files-${index}`, wanted }]);
  const finds = Array.from({ length: 5 }, (_, index) => find(index, `${"a".repeat(199)}b`));
  const ended = Promise.allSettled(finds);
  const asked = performance.now();
  expect(await server.abort(order.turnId)).toMatchObject({ success: true });
  expect((await server.completed(order.turnId, 20_000)).message).toBe("aborted");
  expect(performance.now() - asked).toBeLessThan(10_000);
  for (const index of finds.keys()) {
    await server.ask("cancelRequest", [{ requestId: `find-files-${index}` }]);
  }
  await ended;
  await rm(join(directory, ".gitignore"));
  const { items, note } = await find(9, "1099ts");
  expect(items[0]).toEqual({ path: "0/1099.a.a.a.ts", kind: "file" });
  expect(items.length).toBeLessThanOrEqual(50);
  expect(note).toBe("Only the first 20000 names of the workspace were looked at.");
}, 120_000);

it("A54 arguments that are too deep are refused with a word for the model, and the turn goes on", async () => {
  await startDrone();
  model.answer((asked) => {
    if (asked.toolResults.length > 0) {
      asked.text("Flat next time.");
    } else {
      for (const depth of [63, 64, 300, 20_000]) {
        asked.toolWith("todo", nested(depth));
      }
    }
    asked.end();
  });
  const order = server.order({
    provider: { kind: "openai", baseUrl: model.baseUrl, apiKey: "key" },
  });
  await server.submit(order);
  expect(await server.completed(order.turnId)).toMatchObject({ success: true });
  expect(server.text(order.turnId)).toBe("Flat next time.");
  const told = server.eventsOf(order.turnId, "tool:end").map(({ text }) => text);
  expect(told.map((text) => text.includes("nested more than 64 levels deep"))).toEqual([
    false,
    true,
    true,
    true,
  ]);
  expect(argumentLimits.depth).toBe(deepestInput);
  for (const event of server.eventsOf(order.turnId, "tool:end")) {
    expect(withinDepth(event.input, deepestInput)).toBe(true);
  }
}, 120_000);
