import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { WorkOrder } from "@gadget/api";
import { eventually } from "@gadget/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestDrone } from "./support/test-drone.ts";

let test: TestDrone;

beforeAll(async () => {
  test = await TestDrone.start();
});
afterAll(() => test.stop());

async function run(fields: Partial<WorkOrder>, ...calls: [string, object][]) {
  test.model.answerWithTools(...calls);
  const order = test.order(fields);
  await test.server.submit(order);
  await test.server.completed(order.turnId);
  const starts = test.server.eventsOf(order.turnId, "tool:start");
  const ends = test.server.eventsOf(order.turnId, "tool:end");
  return starts.flatMap(({ callId }) => ends.find((end) => end.callId === callId) ?? []);
}

async function folder(name: string) {
  const directory = join(test.folder, name);
  await mkdir(directory, { recursive: true });
  const source = { kind: "directory" as const, directory };
  return { directory, workspace: { source, environment: [] } };
}

describe("tools say what they leave out", () => {
  it("files that are too large, lines that are too many or too long", async () => {
    const { directory, workspace } = await folder("large");
    const lines = Array.from({ length: 2_500 }, (_, n) => `line ${n + 1}`);
    await writeFile(join(directory, "lines"), lines.join("\n"));
    await writeFile(join(directory, "long"), "x".repeat(10_000));
    await writeFile(join(directory, "huge"), Buffer.alloc(11 * 1024 * 1024, "a"));
    const [all, rest, long, huge, edit, write] = await run(
      { workspace },
      ["read_file", { path: "lines" }],
      ["read_file", { path: "lines", startLine: 2_001 }],
      ["read_file", { path: "long" }],
      ["read_file", { path: "huge" }],
      ["edit_file", { path: "huge", oldText: "aaa", newText: "b" }],
      ["write_file", { path: "huge", content: "b" }],
    );
    expect(all?.text).toMatch(/2000\tline 2000\n\[500 more lines; read on from line 2001\]$/);
    expect(rest?.text).toMatch(/^2001\tline 2001\n[^]*2500\tline 2500$/);
    expect(long?.text).toMatch(/^1\tx{2000} \[cut\]$/);
    for (const refused of [huge, edit, write]) {
      expect(refused).toMatchObject({ outcome: "failed" });
      expect(refused?.text).toMatch(/"huge" has 11534336 bytes; 10485760 can be read/);
    }
  });

  it("names and matches that are too many", async () => {
    const { directory, workspace } = await folder("many");
    await mkdir(join(directory, "deep"));
    for (let n = 0; n < 1_010; n++) {
      await writeFile(join(directory, `file-${n}`), "needle\n");
    }
    const [list, names, matches] = await run(
      { workspace },
      ["list_files", {}],
      ["glob", { pattern: "file-*" }],
      ["grep", { pattern: "needle" }],
    );
    expect(list?.text.split("\n").at(-1)).toBe("[11 more]");
    expect(names?.text.split("\n")).toHaveLength(1_001);
    expect(names?.text).toMatch(/\[more files match\]$/);
    expect(matches?.text.split("\n")).toHaveLength(501);
    expect(matches?.text).toMatch(/\[more lines match\]$/);
  });
});

it("the rules of a workspace are cut at 32,000 characters", async () => {
  const { directory, workspace } = await folder("rules");
  const rules = `Begin here.${"x".repeat(40_000)}End here.`;
  await writeFile(join(directory, "AGENTS.md"), rules);
  await run({ workspace });
  const told = JSON.stringify(test.model.calls.at(-1)?.request.messages[0]);
  expect(told).toContain("Begin here.");
  expect(told).toContain("[cut]");
  expect(told).not.toContain("End here.");
  expect(told.length).toBeLessThan(36_000);
});

describe("approval in the middle of a turn", () => {
  const write = (path: string): [string, object] => ["write_file", { path, content: "x" }];

  it("a card that is open answers itself never, also when nothing would be asked any more", async () => {
    const { server, model } = test;
    model.answerWithTools(write("a"), write("b"));
    const order = test.order({ approval: "ask" });
    const { turnId } = order;
    await server.submit(order);
    const { approvalId } = await server.event(turnId, "approval:open");
    await server.ask("setApproval", [{ turnId, approval: "auto" }]);
    // Served after it, over the same connection: what the change would do, it has done by now.
    await server.ask("listFolders", [{}]);
    expect(server.eventsOf(turnId, "approval:closed")).toEqual([]);
    const deny = { decision: "deny" as const, reason: "not a", by: server.person };
    await server.ask("answerApproval", [{ turnId, approvalId, ...deny }]);
    await server.completed(turnId);
    const outcomes = server.eventsOf(turnId, "tool:end").map(({ outcome }) => outcome);
    expect(outcomes).toEqual(["never_started", "finished"]);
  });

  it("read-only holds from the next call on, for subagents too", async () => {
    const { server, model } = test;
    model.answer((call) => {
      const isChild = call.prompt.includes("write b");
      if (call.toolResults.length > (isChild ? 0 : 1)) {
        call.text("Done.");
      } else if (isChild) {
        call.tool(...write("b"));
      } else if (call.toolResults.length === 0) {
        call.tool(...write("a"));
      } else {
        call.tool("spawn_agent", { title: "child", task: "write b" });
      }
      call.end();
    });
    const order = test.order({ approval: "ask" });
    const { turnId } = order;
    await server.submit(order);
    const { approvalId } = await server.event(turnId, "approval:open");
    await server.ask("setApproval", [{ turnId, approval: "read-only" }]);
    const once = { decision: "once" as const, by: server.person };
    await server.ask("answerApproval", [{ turnId, approvalId, ...once }]);
    await server.completed(turnId);
    const writes = server.eventsOf(turnId, "tool:end").filter(({ name }) => name === "write_file");
    expect(writes.map(({ outcome }) => outcome)).toEqual(["finished", "never_started"]);
    expect(server.eventsOf(turnId, "approval:open")).toHaveLength(1);
  });
});

it("a drain hands back what does not end in time, with a sentence, and its command is gone", async () => {
  const drone = await TestDrone.start();
  const { server, model } = drone;
  model.answerWithTools(["shell", { command: "echo $$; exec sleep 300" }]);
  const order = drone.order();
  await server.submit(order);
  const output = await server.event(order.turnId, "tool:output");
  await drone.drone.drain(100);
  const { success, message } = await server.completed(order.turnId);
  expect(success).toBe(false);
  expect(message).toMatch(/The drone was stopped before the turn had ended/);
  await eventually("the command is gone", () => {
    try {
      return !process.kill(Number.parseInt(output.text, 10), 0);
    } catch {
      return true;
    }
  });
  await drone.stop();
});
