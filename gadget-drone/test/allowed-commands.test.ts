import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { WorkOrder } from "@gadget/api";
import { eventually } from "@gadget/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestDrone } from "./support/test-drone.ts";

type Call = [tool: string, input: object];
const run = (command: string, more: object = {}): Call => ["shell", { command, ...more }];
const write = (path: string, content: string): Call => ["write_file", { path, content }];

let test: TestDrone;

beforeAll(async () => {
  test = await TestDrone.start();
});
afterAll(() => test.stop());

/** The approvals that a turn asks for; each is given for the session but the last, which is kept open. */
async function asks(
  calls: Call[],
  { times = 2, fields = {} }: { times?: number; fields?: Partial<WorkOrder> } = {},
) {
  const { server, model } = test;
  model.answerWithTools(...calls);
  const order = test.order({ approval: "edits", ...fields });
  const { turnId } = order;
  await server.submit(order);
  const opened = () => server.eventsOf(turnId, "approval:open");
  const ended = () => (server.turns.get(turnId)?.completions.length ?? 0) > 0;
  for (let asked = 1; asked <= times; asked++) {
    const open = await eventually("it asks or ends", () => opened()[asked - 1] ?? ended());
    if (open === true || asked === times) {
      break;
    }
    const { approvalId } = open;
    const answer = { turnId, approvalId, decision: "session" as const, by: server.person };
    await server.ask("answerApproval", [answer]);
  }
  if (!ended()) {
    await server.abort(turnId);
  }
  await server.completed(turnId);
  return { order, opened: opened(), ends: server.eventsOf(turnId, "tool:end") };
}

describe("what was allowed in this session", () => {
  it.each<[string, string, string]>([
    ["a function of that name", "ls", "ls () (sh evil.sh)\nls"],
    ["a function after a semicolon", "ls", "ls () (sh evil.sh); ls"],
    ["a function after &&", "ls", "ls && ls () (sh evil.sh) && ls"],
    ["another group", "( ls )", "( sh evil.sh )"],
    ["another negation", "! ls", "! sh evil.sh"],
    ["another block", "{ ls; }", "{ sh evil.sh; }"],
    ["a blank that only JavaScript knows", "ls", "ls\u00a0/evil"],
    ["an alias", "ls", "alias ls='sh evil.sh'\nls"],
    ["a here-document", "ls", "ls <<x\nx\nsh evil.sh"],
    ["a process substitution", "ls", "ls <(sh evil.sh)"],
    ["arithmetic", "ls", "ls $((x[$(sh evil.sh)]))"],
    ["a name that is an option", "ls", "ls *"],
    ["what the log writes", "git log", "git log --output=.git/config"],
    ["what the log runs", "git log", "git log --ext-diff"],
    ["a pager of grep", "git grep x", "git grep -Oevil x"],
    ["the other side of a fetch", "git fetch", "git fetch --upload-pack=./evil ."],
    ["what a diff writes", "git diff", "git diff --output=/tmp/any"],
    ["two files of the disk", "git diff", "git diff /dev/null /etc/passwd"],
    ["a checkpoint of tar", "tar -tf a.tar", "tar -tf a.tar --checkpoint-action=exec=evil"],
    ["another file", "cat notes", "cat ../../data/credential.json"],
  ])("is not %s", async (_, allowed, asked) => {
    const { opened, ends } = await asks([run(allowed), run(asked)]);
    expect(opened.map(({ command }) => command)).toEqual([allowed, asked]);
    expect(ends.at(-1)?.outcome).toBe("never_started");
  });

  it("is not the same command in another folder, in the background or for longer", async () => {
    const evil = [
      write("evil/HEAD", "ref: refs/heads/x\n"),
      write(
        "evil/config",
        '[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = "touch ../ran"\n',
      ),
      write("evil/objects/x", ""),
      write("evil/readme", ""),
    ];
    const calls = [...evil, run("git status"), run("git status", { path: "evil" })];
    const { opened } = await asks(calls);
    expect(opened[1]).toMatchObject({ command: "git status", cwd: "evil" });
    const behind = await asks([run("ls"), run("ls", { background: true })]);
    expect(behind.opened[1]).toMatchObject({ command: "ls", background: true });
    const longer = await asks([run("make"), run("make", { timeoutMs: 3_600_000 })]);
    expect(longer.opened[1]).toMatchObject({ command: "make", timeoutMs: 3_600_000 });
  });

  it("is not npm test after its script was changed", async () => {
    const scripts = (test: string) => write("package.json", JSON.stringify({ scripts: { test } }));
    const { opened, ends } = await asks([
      scripts("true"),
      run("npm test"),
      run("npm test"),
      scripts("touch ran"),
      run("npm test"),
    ]);
    expect(opened).toHaveLength(2);
    expect(opened[0]?.allows).toMatch(/exactly this command.*while package\.json stay/);
    expect(ends.at(-1)?.outcome).toBe("never_started");
  });

  it("is not a script that the command names, once it was changed", async () => {
    const script = (text: string) => write("tools/check.sh", text);
    const calls = [script("true"), run("sh tools/check.sh"), script("touch ran")];
    const { opened } = await asks([...calls, run("sh tools/check.sh")]);
    expect(opened).toHaveLength(2);
  });

  it("is the same command again, and a known harmless one with other harmless options", async () => {
    const same = await asks([run("make all"), run("make all")]);
    expect(same.opened).toHaveLength(1);
    const calls = [run("ls -la; git status"), run("git status --short"), run("ls src | ls -a")];
    const forms = await asks(calls);
    expect(forms.opened).toHaveLength(1);
    expect(forms.opened[0]).toMatchObject({ prefix: "ls, git status" });
    expect(forms.opened[0]?.allows).toBe(
      "ls and git status with options that only look, in the workspace's folder, for at most 2 min.",
    );
  });

  it("holds in the next turn, and an older word of it allows nothing", async () => {
    const first = await asks([run("git status")], { times: 1 });
    const allowed = first.opened[0]?.allowance ?? [];
    expect(allowed).toHaveLength(1);
    const next = await asks([run("git status -s")], { times: 1, fields: { allowed } });
    expect(next.opened).toEqual([]);
    const old = ["git status", "ls", "npm run", "sh evil.sh"];
    for (const command of old) {
      const { opened } = await asks([run(command)], { times: 1, fields: { allowed: old } });
      expect(opened).toHaveLength(1);
    }
  });
});

describe("git in a command", () => {
  it("takes no folder for a repository only because it looks like one", async () => {
    const { server, model, folder } = test;
    const workspace = join(folder, "planted");
    const evil = join(workspace, "evil");
    await mkdir(join(evil, "objects"), { recursive: true });
    await mkdir(join(evil, "refs"));
    await writeFile(join(evil, "HEAD"), "ref: refs/heads/x\n");
    const settings = `[core]\n\trepositoryformatversion = 0\n\tworktree = .\n\tfsmonitor = "touch ${evil}/ran;false"\n`;
    await writeFile(join(evil, "config"), settings);
    model.answerWithTools(run("git status; ls", { path: "evil" }));
    const source = { kind: "directory" as const, directory: workspace };
    const order = test.order({ approval: "auto", workspace: { source, environment: [] } });
    await server.submit(order);
    await server.completed(order.turnId);
    const [end] = server.eventsOf(order.turnId, "tool:end");
    expect(end?.text).toMatch(/HEAD/);
    await expect(readFile(join(evil, "ran"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("a session that only reads", () => {
  it("looks at background commands and stops none", async () => {
    const { server, model } = test;
    model.answerWithTools(run("echo begun; sleep 60", { background: true }));
    const first = test.order({ approval: "auto" });
    await server.submit(first);
    await server.completed(first.turnId);
    const { sessionId, projectId } = first;
    const { commands } = await server.ask("listBackground", [{ sessionId }]);
    const commandId = commands[0]?.id;
    model.answerWithTools(
      ["background", { action: "list" }],
      ["background", { action: "output", commandId }],
      ["background", { action: "stop", commandId }],
    );
    const second = test.order({ approval: "read-only", sessionId, projectId });
    await server.submit(second);
    await server.completed(second.turnId);
    const ends = server.eventsOf(second.turnId, "tool:end");
    const outcomes = ends.map(({ outcome }) => outcome).toSorted();
    expect(outcomes).toEqual(["finished", "finished", "never_started"]);
    expect((await server.ask("listBackground", [{ sessionId }])).commands).toHaveLength(1);
  });
});
