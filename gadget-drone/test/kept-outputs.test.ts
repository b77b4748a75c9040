import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId, SessionId, type WorkOrder } from "@gadget/api";
import { eventually } from "@gadget/testing/eventually";
import type { ModelCall } from "@gadget/testing/scripted-model";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KeptOutputs } from "../src/outputs/kept-outputs.ts";
import { TestDrone } from "./support/test-drone.ts";

let test: TestDrone;

beforeAll(async () => {
  test = await TestDrone.start();
});
afterAll(() => test.stop());

type Step = (results: string[]) => [name: string, input: object];

/** A turn whose model makes one call after the other, each with what it was told until then. */
async function turn(steps: Step[], fields: Partial<WorkOrder> = {}) {
  test.model.answer((call: ModelCall) => {
    const step = steps[call.toolResults.length];
    if (step === undefined) {
      call.text("Done.");
    } else {
      call.tool(...step(call.toolResults));
    }
    call.end();
  });
  const order = test.order(fields);
  await test.server.submit(order);
  expect(await test.server.completed(order.turnId, 30_000)).toMatchObject({ success: true });
  const texts = test.server.eventsOf(order.turnId, "tool:end").map(({ text }) => text);
  return { order, texts };
}

const named = (text = "") => /output:[0-9a-f]{12}/.exec(text)?.[0] ?? "no output is named";
const folder = (id: SessionId) => join(test.folder, "data", "outputs", id);
const lines = "seq -f 'line %.0f of it' 1 20000";
const read = (of: string, range: object): [string, object] => ["read_file", { path: of, ...range }];
const middle = { startLine: 9_000, endLine: 9_010 };
const middleLines = Array.from({ length: 11 }, (_, n) => `${9_000 + n}\tline ${9_000 + n} of it`);

describe("output that was cut for the model", () => {
  it("is kept whole, and the model reads the lines that it was not shown", async () => {
    const { order, texts } = await turn([
      () => ["shell", { command: `printf '\\033[31m'; ${lines}; exit 3` }],
      ([shown]) => read(named(shown), middle),
      ([shown]) => read(named(shown), { startLine: 20_000 }),
      ([shown]) => read(named(shown), { startLine: 20_001 }),
    ]);
    const [shown = "", part, last, behind] = texts;
    expect(shown).toMatch(/^line 1 of it\n[^]*line 20000 of it\n/);
    expect(shown).toMatch(
      /\[The middle is left out\. read_file reads all 20000 lines: path "output:[0-9a-f]{12}" with startLine and endLine\.\]\n\[ended with exit code 3\]$/,
    );
    expect(shown.length).toBeLessThanOrEqual(30_000);
    expect(part?.split("\n").slice(0, 11)).toEqual(middleLines);
    expect(last).toBe("20000\tline 20000 of it");
    expect(behind).toMatch(/has only 20000 lines/);
    const at = join(folder(order.sessionId), named(shown).slice("output:".length));
    expect((await stat(at)).mode & 0o777).toBe(0o600);
    expect((await stat(folder(order.sessionId))).mode & 0o777).toBe(0o700);
    expect(await readFile(at, "utf8")).toContain("line 10000 of it\n");
  });

  it("of a background command, too", async () => {
    const done = join(test.folder, "all-printed");
    const ids = (text = "") => /as (\w+)\./.exec(text)?.[1];
    const { texts } = await turn([
      () => ["shell", { command: `${lines}; touch ${done}; exec sleep 300`, background: true }],
      () => ["shell", { command: `until [ -e ${done} ]; do sleep 0.05; done` }],
      ([started]) => ["background", { action: "output", commandId: ids(started) }],
      ([, , shown]) => read(named(shown), middle),
      ([started]) => ["background", { action: "stop", commandId: ids(started) }],
    ]);
    expect(texts[2]).toMatch(/\[it runs\]$/);
    expect(texts[3]?.split("\n").slice(0, 11)).toEqual(middleLines);
  });

  it("is kept, too, when only the command was cancelled, and tells the first lines", async () => {
    const { server, model } = test;
    const printed = `yes "a long line of output" | head -n 600000; echo all; exec sleep 300`;
    model.answer((call) => {
      const [shown] = call.toolResults;
      if (shown === undefined) {
        call.tool("shell", { command: printed });
      } else if (call.toolResults.length === 1) {
        call.tool(...read(named(shown), { startLine: 9_000 }));
      } else {
        call.text("Done.");
      }
      call.end();
    });
    const { turnId, ...rest } = test.order();
    await server.submit({ ...rest, turnId });
    const { callId } = await server.event(turnId, "tool:output");
    await eventually("it has printed", async () => {
      const names = await readdir(folder(rest.sessionId)).catch(() => []);
      const [size] = await Promise.all(
        names.map(async (name) => (await stat(join(folder(rest.sessionId), name))).size),
      );
      return (size ?? 0) > 10_000_000;
    });
    await server.ask("cancelTool", [{ turnId, callId }]);
    expect(await server.completed(turnId, 30_000)).toMatchObject({ success: true });
    const [shown, part] = server.eventsOf(turnId, "tool:end").map(({ text }) => text);
    expect(shown).toMatch(/stopped this call[^]*reads the first \d+ lines: path "output:/);
    expect(part).toMatch(/^9000\ta long line of output\n/);
  });

  it("is not kept when nothing was cut", async () => {
    const { order, texts } = await turn([() => ["shell", { command: "seq 1 2000" }]]);
    expect(texts[0]).not.toMatch(/output:/);
    expect(await readdir(folder(order.sessionId)).catch(() => [])).toEqual([]);
  });

  it("is read by its own session only, and by no other tool", async () => {
    const { order, texts } = await turn([() => ["shell", { command: lines }]]);
    const place = named(texts[0]);
    const { sessionId } = order;
    const own = await turn(
      [
        () => read(place, middle),
        () => ["edit_file", { path: place, oldText: "line 1 of it", newText: "x" }],
        () => read(place.replace(":", ":../"), {}),
        () => read(`output:../${sessionId}/${place.slice(7)}`, {}),
      ],
      { sessionId },
    );
    expect(own.texts[0]?.split("\n").slice(0, 11)).toEqual(middleLines);
    expect(own.texts.slice(1)).toEqual([
      expect.stringMatching(/There is no file/),
      expect.stringMatching(/There is no file|outside of the workspace/),
      expect.stringMatching(/There is no file|outside of the workspace/),
    ]);
    const other = await turn([() => read(place, middle)]);
    expect(other.texts).toEqual([
      `There is no "${place}" any more: the oldest outputs of a session are removed. Run the command again.`,
    ]);
  });

  it("goes with its session, though a command still prints", async () => {
    const command = `${lines}; while :; do echo more; sleep 0.02; done`;
    const ids = (text = "") => /as (\w+)\./.exec(text)?.[1];
    const { order, texts } = await turn([
      () => ["shell", { command: lines }],
      () => ["shell", { command, background: true }],
      ([, started]) => ["background", { action: "output", commandId: ids(started) }],
    ]);
    expect(named(texts[0])).toMatch(/^output:/);
    const { sessionId } = order;
    expect(await readdir(folder(sessionId))).toContain(named(texts[0]).slice(7));
    await test.server.ask("stopBackground", [{ sessionId, leaves: true }]);
    await expect(stat(folder(sessionId))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("is not kept where an abort ends the command", async () => {
    test.model.answerWithTools(["shell", { command: `${lines}; echo all; exec sleep 300` }]);
    const order = test.order();
    await test.server.submit(order);
    await eventually("it has printed", () =>
      test.server.eventsOf(order.turnId, "tool:output").some(({ text }) => text.includes("all\n")),
    );
    await test.server.abort(order.turnId);
    expect(await test.server.completed(order.turnId)).toMatchObject({ message: "aborted" });
    const [end] = test.server.eventsOf(order.turnId, "tool:end");
    expect(end).toMatchObject({ outcome: "cancelled" });
    expect(end?.text).toContain("line 1 of it");
    expect(end?.text).not.toMatch(/output:/);
    await eventually("nothing is left of it", async () => {
      const left = await readdir(folder(order.sessionId)).catch(() => []);
      return left.length === 0;
    });
  });
});

describe("what is kept", () => {
  it("is bounded: the oldest go first, and one ends at its limit", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "gadget-outputs-"));
    const outputs = new KeptOutputs(dataDir).ofSession(newId(SessionId));
    const line = `${"x".repeat(99)}\n`;
    const kept = [];
    for (let n = 0; n < 7; n++) {
      const output = outputs.open();
      for (let piece = 0; piece < 130; piece++) {
        output.add(line.repeat(1_000));
      }
      kept.push(await output.place());
    }
    expect(kept[0]).toMatchObject({ lines: 104_000, isWhole: false });
    const left = await Promise.all(kept.map((place) => outputs.read(place?.id ?? "")));
    expect(left.map((bytes) => bytes?.length)).toEqual([
      undefined,
      undefined,
      ...Array.from({ length: 5 }, () => 10_400_000),
    ]);
    await rm(dataDir, { recursive: true });
  });

  it("is removed at a start when its session has kept nothing for a week", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "gadget-outputs-"));
    const store = new KeptOutputs(dataDir);
    const [old, young] = [newId(SessionId), newId(SessionId)];
    for (const session of [old, young]) {
      const output = store.ofSession(session).open();
      output.add("text\n");
      await output.place();
    }
    const then = new Date(Date.now() - 8 * 24 * 3_600_000);
    await utimes(join(dataDir, "outputs", old), then, then);
    await new KeptOutputs(dataDir).prune(Date.now());
    expect(await readdir(join(dataDir, "outputs"))).toEqual([young]);
    await rm(dataDir, { recursive: true });
  });

  it("is said to be lost when the disk takes nothing", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "gadget-outputs-"));
    await writeFile(join(dataDir, "outputs"), "a file where the folder should be");
    const output = new KeptOutputs(dataDir).ofSession(newId(SessionId)).open();
    output.add("text\n");
    expect(await output.place()).toBeUndefined();
    await rm(dataDir, { recursive: true });
  });
});
