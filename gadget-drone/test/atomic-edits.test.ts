import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { TestDrone } from "./support/test-drone.ts";

const rounds = 4;
const editsARound = 50;
const size = 50_000;
const line = `${"x".repeat(99)}\n`;
const text = `mark a\n${line.repeat(size / line.length)}`;

/** Reads a file as fast as it can; says what it saw that was neither of the two whole texts. */
const reader = `
  const { readFileSync } = require("node:fs");
  const [path, size] = [process.argv[1], Number(process.argv[2])];
  let reads = 0;
  const wrong = new Set();
  const look = () => {
    for (let i = 0; i < 50; i++) {
      reads++;
      try {
        const text = readFileSync(path, "latin1");
        const whole = text.length === size && /^mark [ab]\\n/.test(text) && text.endsWith("x\\n");
        if (!whole) wrong.add("partial: " + text.length);
      } catch (error) {
        wrong.add(error.code);
      }
    }
    setImmediate(look);
  };
  process.on("SIGTERM", () => {
    console.log(JSON.stringify({ reads, wrong: [...wrong] }));
    process.exit();
  });
  process.on("disconnect", () => process.exit());
  console.log("ready");
  look();
`;

it("A21 a reader that polls during 200 edits never sees a missing or partial file", async () => {
  const stops: (() => unknown)[] = [];
  const test = await TestDrone.start();
  stops.push(() => test.stop());
  try {
    const order = test.order();
    const workspace = test.workspace(order);
    await mkdir(workspace, { recursive: true });
    const path = join(workspace, "big.txt");
    await writeFile(path, text);
    const child = spawn(process.execPath, ["-e", reader, path, String(text.length)], {
      // The channel ends the reader with this process, whatever becomes of it.
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    stops.push(() => child.kill("SIGKILL"));
    if (child.stdout === null) {
      throw new Error("No output");
    }
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe("ready");
    const calls = Array.from({ length: editsARound }, (_, index) => {
      const [oldText, newText] = index % 2 === 0 ? ["mark a", "mark b"] : ["mark b", "mark a"];
      return ["edit_file", { path: "big.txt", oldText, newText }] as [string, object];
    });
    test.model.answerWithTools(...calls);
    for (let round = 0; round < rounds; round += 1) {
      const next = test.order({ projectId: order.projectId });
      const { turnId } = next;
      await test.server.submit(next);
      expect(await test.server.completed(turnId)).toMatchObject({ success: true });
      const ends = test.server.eventsOf(turnId, "tool:end");
      expect(ends.filter(({ outcome }) => outcome === "finished")).toHaveLength(editsARound);
    }
    child.kill("SIGTERM");
    const seen = JSON.parse(String((await lines.next()).value));
    if (child.exitCode === null && child.signalCode === null) {
      await once(child, "exit");
    }
    expect(seen.wrong).toEqual([]);
    expect(seen.reads).toBeGreaterThan(rounds * editsARound);
  } finally {
    for (const stop of stops.reverse()) {
      await stop();
    }
  }
});
