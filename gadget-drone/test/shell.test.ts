import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { TurnId, WorkOrder } from "@gadget/api";
import { eventually } from "@gadget/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OrderServer } from "./support/order-server.ts";
import { startTestDrone, type TestDrone } from "./support/test-drone.ts";

let test: TestDrone<OrderServer>;

beforeAll(async () => {
  test = await startTestDrone();
});
afterAll(() => test.stop());

async function runShell(input: object, fields: Partial<WorkOrder> = {}): Promise<TurnId> {
  test.model.answerWithTools(["shell", input]);
  const order = test.order(fields);
  expect(await test.server.submit(order)).toBe(true);
  return order.turnId;
}

function toolEnd(turnId: TurnId) {
  return test.server.eventsOf(turnId, "tool:end")[0];
}

async function grows(file: string): Promise<boolean> {
  const size = async () => (await readFile(file, "utf8").catch(() => "")).length;
  const before = await size();
  await delay(150);
  return (await size()) > before;
}

/** Prints its name into a file, for ever; TERM is ignored. */
const beat = (name: string) =>
  `trap '' TERM; while :; do echo ${name} >> ${name}.beat; sleep 0.02; done`;

describe("shell", () => {
  it("shows output while it comes, and gives the model text and exit code", async () => {
    const { server } = test;
    const turnId = await runShell({
      command: "printf '\\033[31mred\\033[0m\\n'; echo err >&2; exit 3",
    });
    await server.completed(turnId);
    const shown = server.eventsOf(turnId, "tool:output").map(({ text }) => text);
    expect(shown.join("")).toContain("\u001b[31mred");
    expect(toolEnd(turnId)).toMatchObject({ outcome: "failed" });
    expect(toolEnd(turnId)?.text).toMatch(/^red\nerr\n\[ended with exit code 3\]$/);
  });

  it("stops at its time limit and tells the model", async () => {
    const turnId = await runShell({ command: "echo begun; sleep 60", timeoutMs: 300 });
    await test.server.completed(turnId);
    expect(toolEnd(turnId)?.text).toMatch(/begun\n\[stopped after 300 ms/);
  });

  it("keeps the head and the tail of much output", async () => {
    const turnId = await runShell({ command: "echo first; seq 1 400000; echo last" });
    await test.server.completed(turnId);
    const text = toolEnd(turnId)?.text ?? "";
    expect(text.length).toBeLessThan(40_000);
    expect(text).toMatch(/^first\n/);
    expect(text).toMatch(/left out/);
    expect(text).toMatch(
      /\nlast\n\[The middle is left out\. read_file reads all 400002 lines: [^\n]*\]$/,
    );
  });

  it("knows no secret of the drone's environment, but what the project adds", async () => {
    process.env["GADGET_TEST_SECRET"] = "canary-1";
    process.env["TEST_SHARED"] = "shared-1";
    const source = { kind: "empty" as const };
    const workspace = { source, environment: ["TEST_SHARED", "GADGET_TEST_SECRET"] };
    const turnId = await runShell({ command: "env" }, { workspace });
    await test.server.completed(turnId);
    expect(toolEnd(turnId)?.text).toContain("PATH=");
    expect(toolEnd(turnId)?.text).toContain("shared-1");
    expect(toolEnd(turnId)?.text).not.toContain("canary-1");
    expect(toolEnd(turnId)?.text).not.toContain("key-canary");
  });

  it("A18 A20 an abort ends every descendant, and the receipt counts them", async () => {
    const { server } = test;
    const command = [
      `setsid sh -c "${beat("session")}" &`,
      `( sh -c "${beat("orphan")}" & ) &`,
      `env -i /bin/sh -c "${beat("bare")}" &`,
      `echo started; ${beat("main")}`,
    ].join("\n");
    const turnId = await runShell({ command });
    const order = server.turns.get(turnId)?.order;
    if (order === undefined) {
      throw new Error("no order");
    }
    const files = ["session", "orphan", "bare", "main"].map((name) =>
      join(test.workspace(order), `${name}.beat`),
    );
    for (const file of files) {
      await eventually(file, () => grows(file));
    }
    await server.abort(turnId);
    expect(await server.completed(turnId)).toMatchObject({ success: true, message: "aborted" });
    for (const file of files) {
      expect(await grows(file)).toBe(false);
    }
    const { stopped } = server.eventsOf(turnId, "turn:changed").at(-1) ?? {};
    expect(stopped?.left).toBe(0);
    expect(stopped?.processes).toBeGreaterThanOrEqual(4);
    expect(stopped?.afterMs).toBeLessThan(2_000);
    expect(toolEnd(turnId)).toMatchObject({ outcome: "cancelled" });
    expect(toolEnd(turnId)?.text).toContain("started");
  });

  it("A18 aborted 0 to 30 ms after the call leaks nothing", async () => {
    const { server } = test;
    const source = { kind: "directory" as const, directory: test.folder };
    const files: string[] = [];
    for (let ms = 0; ms < 30; ms += 5) {
      const name = `early${ms}`;
      files.push(join(test.folder, `${name}.beat`));
      const turnId = await runShell(
        { command: beat(name) },
        { workspace: { source, environment: [] } },
      );
      await eventually("the call", () => server.eventsOf(turnId, "tool:input").at(-1)?.input);
      await delay(ms);
      await server.abort(turnId);
      await server.completed(turnId);
    }
    for (const file of files) {
      expect(await grows(file)).toBe(false);
    }
  });

  it("A25 one tool is stopped, the turn goes on, and the model is told", async () => {
    const { server, model } = test;
    const turnId = await runShell({ command: "echo begun; sleep 60" });
    const { callId } = await server.event(turnId, "tool:output");
    await server.ask("cancelTool", [{ turnId, callId }]);
    expect(await server.completed(turnId)).toMatchObject({ success: true, message: undefined });
    expect(toolEnd(turnId)).toMatchObject({ outcome: "cancelled" });
    expect(model.calls.at(-1)?.toolResults.at(-1)).toMatch(/stopped this call/);
    const again = server.ask("cancelTool", [{ turnId, callId }]);
    await expect(again).rejects.toMatchObject({
      code: expect.stringMatching(/^(not_running|closed)$/),
    });
  });

  it("A16 a call behind an aborted one never runs", async () => {
    const { server, model } = test;
    model.answerWithTools(
      ["shell", { command: "sleep 60" }],
      ["write_file", { path: "late", content: "" }],
    );
    const order = test.order();
    await server.submit(order);
    await eventually("the call", () => server.eventsOf(order.turnId, "tool:input").at(-1)?.input);
    await server.abort(order.turnId);
    await server.completed(order.turnId);
    const ends = server.eventsOf(order.turnId, "tool:end");
    expect(ends.map(({ outcome }) => outcome)).toEqual(["cancelled", "never_started"]);
    await expect(readFile(join(test.workspace(order), "late"))).rejects.toMatchObject({
      code: "ENOENT",
    });
  });
});

describe("the shell and its environment", () => {
  it("is bash, and the model is told which", async () => {
    const { server, model } = test;
    const command = [
      "set -o pipefail; [[ abc == a* ]] && echo pattern",
      "echo sourced=1 > vars; source ./vars; echo $sourced",
      "echo {1..3}; cat <(echo piped)",
      "false | true; echo $?",
    ].join("\n");
    const turnId = await runShell({ command });
    await server.completed(turnId);
    expect(toolEnd(turnId)?.text).toBe("pattern\n1\n1 2 3\npiped\n1");
    const told = JSON.stringify(model.calls.at(-1)?.request.tools);
    expect(told).toMatch(/by bash \d+\.\d+ on linux/);
  });

  it("has the user's PATH, without the folders that npm puts in front of it", async () => {
    const { server } = test;
    const before = process.env["PATH"];
    const npm = "/srv/gadget/node_modules/.bin:/srv/node_modules/.bin:/x/node-gyp-bin";
    process.env["PATH"] = `${npm}:relative::${before}`;
    try {
      const turnId = await runShell({ command: "echo $PATH" });
      await server.completed(turnId);
      const shown = toolEnd(turnId)?.text.trim().split(":") ?? [];
      expect(shown.filter((folder) => !folder.startsWith("/"))).toEqual([]);
      expect(shown.join(":")).not.toContain("/srv/");
      expect(shown).toContain("/usr/bin");
    } finally {
      process.env["PATH"] = before;
    }
  });

  it("names no folder in which this user's services have their sockets", async () => {
    process.env["XDG_RUNTIME_DIR"] = "/run/user/runtime-canary";
    const source = { kind: "empty" as const };
    const environment = ["XDG_RUNTIME_DIR", "BASH_ENV"];
    const turnId = await runShell({ command: "env" }, { workspace: { source, environment } });
    delete process.env["XDG_RUNTIME_DIR"];
    await test.server.completed(turnId);
    expect(toolEnd(turnId)?.text).not.toContain("runtime-canary");
  });
});

describe("background commands", () => {
  it("survive a finished turn, are listed, and can be stopped", async () => {
    const { server } = test;
    const turnId = await runShell({ command: beat("kept"), background: true });
    await server.completed(turnId);
    const order = server.turns.get(turnId)?.order;
    if (order === undefined) {
      throw new Error("no order");
    }
    const file = join(test.workspace(order), "kept.beat");
    await eventually("it goes on", () => grows(file));
    const { sessionId } = order;
    const { commands } = await server.ask("listBackground", [{ sessionId }]);
    expect(commands).toMatchObject([{ turnId, sessionId, command: beat("kept") }]);
    const commandId = commands[0]?.id;
    if (commandId === undefined) {
      throw new Error("no command");
    }
    const { stopped } = await server.ask("stopBackground", [{ sessionId, commandId }]);
    expect(stopped).toMatchObject({ left: 0 });
    expect(stopped.processes).toBeGreaterThanOrEqual(1);
    expect(await grows(file)).toBe(false);
    expect((await server.ask("listBackground", [{ sessionId }])).commands).toEqual([]);
  });

  it("die with an abort of the turn that started them", async () => {
    const { server, model } = test;
    model.answer((call) => {
      if (call.toolResults.length === 0) {
        call.tool("shell", { command: beat("doomed"), background: true });
        call.end();
      } else {
        call.text("Now I think for ever");
      }
    });
    const order = test.order();
    await server.submit(order);
    const file = join(test.workspace(order), "doomed.beat");
    await eventually("it runs", () => grows(file));
    await eventually("the thought", () => server.text(order.turnId) !== "");
    await server.abort(order.turnId);
    await server.completed(order.turnId);
    expect(await grows(file)).toBe(false);
    const { stopped } = server.eventsOf(order.turnId, "turn:changed").at(-1) ?? {};
    expect(stopped).toMatchObject({ left: 0 });
    expect(stopped?.processes).toBeGreaterThanOrEqual(1);
  });
});

describe("approval", () => {
  async function ask(fields: Partial<WorkOrder>, ...calls: [string, object][]) {
    test.model.answerWithTools(...calls);
    const order = test.order(fields);
    await test.server.submit(order);
    return order;
  }

  it("edits: files are written, the shell asks, and once is once", async () => {
    const { server } = test;
    const shell: [string, object] = ["shell", { command: "cat note" }];
    const write: [string, object] = ["write_file", { path: "note", content: "hi\n" }];
    const { turnId } = await ask({ approval: "edits" }, write, shell, shell);
    const first = await server.event(turnId, "approval:open");
    expect(first).toMatchObject({ name: "shell", command: "cat note", prefix: "cat note" });
    const { approvalId } = first;
    await server.ask("answerApproval", [
      { turnId, approvalId, decision: "once", by: test.server.person },
    ]);
    const second = await eventually(
      "it asks again",
      () => server.eventsOf(turnId, "approval:open")[1],
    );
    const deny = { decision: "deny" as const, reason: "not twice", by: test.server.person };
    await server.ask("answerApproval", [{ turnId, approvalId: second.approvalId, ...deny }]);
    await server.completed(turnId);
    const ends = server.eventsOf(turnId, "tool:end");
    expect(ends.map(({ outcome }) => outcome)).toEqual(["finished", "finished", "never_started"]);
    expect(ends[2]?.text).toContain("not twice");
  });

  it("for the session: the same form asks no more, another one does", async () => {
    const { server } = test;
    const commands = ["echo one", "echo two", "ls"].map((command): [string, object] => [
      "shell",
      { command },
    ]);
    const { turnId } = await ask({ approval: "edits" }, ...commands);
    const { approvalId } = await server.event(turnId, "approval:open");
    await server.ask("answerApproval", [
      { turnId, approvalId, decision: "session", by: test.server.person },
    ]);
    const second = await eventually(
      "it asks for ls",
      () => server.eventsOf(turnId, "approval:open")[1],
    );
    expect(second.command).toBe("ls");
    await server.abort(turnId);
    await server.completed(turnId);
  });

  it("ask: a change is shown as a diff first, and the mode can change in the middle", async () => {
    const { server } = test;
    const write = (n: number): [string, object] => [
      "write_file",
      { path: "a.txt", content: `${n}\n` },
    ];
    const { turnId } = await ask({ approval: "ask" }, write(1), write(2));
    const { approvalId, diff } = await server.event(turnId, "approval:open");
    expect(diff).toContain("+++ b/a.txt\n@@ -0,0 +1 @@\n+1\n");
    await server.ask("setApproval", [{ turnId, approval: "auto" }]);
    await server.ask("answerApproval", [
      { turnId, approvalId, decision: "once", by: test.server.person },
    ]);
    await server.completed(turnId);
    expect(server.eventsOf(turnId, "approval:open")).toHaveLength(1);
  });

  it("read-only: nothing is changed and nobody is asked", async () => {
    const { server } = test;
    const { turnId } = await ask(
      { approval: "read-only" },
      ["write_file", { path: "a", content: "" }],
      ["shell", { command: "touch a" }],
      ["list_files", {}],
    );
    await server.completed(turnId);
    const ends = server.eventsOf(turnId, "tool:end");
    expect(ends.map(({ outcome }) => outcome)).toEqual([
      "never_started",
      "never_started",
      "finished",
    ]);
    expect(ends[2]?.text).toBe("(The folder is empty.)");
    expect(server.eventsOf(turnId, "approval:open")).toHaveLength(0);
  });
});
