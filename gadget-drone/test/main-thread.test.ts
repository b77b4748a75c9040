import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { argumentLimits } from "@gadget/ai";
import { deepestInput, withinDepth } from "@gadget/api";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DroneChild } from "./support/drone-child.ts";
import { eventually } from "./support/eventually.ts";
import { ScriptedModel } from "./support/scripted-model.ts";
import { TestServer } from "./support/test-server.ts";

// A drone of its own process: where it stands still, its test must not.
let server: TestServer;
let model: ScriptedModel;
let child: DroneChild;
let folder: string;
let pages: Server;
let site: string;

beforeAll(async () => {
  [server, model] = await Promise.all([TestServer.start(), ScriptedModel.start()]);
  pages = createServer((request, response) => {
    const mark = decodeURIComponent(request.url?.split("?")[1] ?? "");
    response.writeHead(200, { "content-type": "text/html" });
    response.end(mark.repeat((2 * 1024 * 1024) / mark.length));
  });
  pages.listen(0, "127.0.0.1");
  await once(pages, "listening");
  site = `http://127.0.0.1:${(pages.address() as AddressInfo).port}/`;
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

type Call = [name: string, argumentsText: string];
const call = (name: string, input: object): Call => [name, JSON.stringify(input)];

const stars = `${"*a".repeat(20)}*b`;
const longName = "a".repeat(200);
const nested = (depth: number) => `{"x":${"[".repeat(depth)}${"]".repeat(depth)}}`;
const lines = (word: string, count: number) =>
  Array.from({ length: count }, (_, line) => `${word}${line % 7}\n`).join("");
/** What makes the drone busy: the files of a workspace, and the calls that a model makes in it. */
const floods: [name: string, prepare: (at: string) => Promise<Call[]>][] = [
  [
    "a glob of stars",
    async (at) => {
      await writeFile(join(at, longName), "needle\n");
      return [call("glob", { pattern: stars }), call("grep", { pattern: "needle", glob: stars })];
    },
  ],
  [
    "ignore rules of stars",
    async (at) => {
      await writeFile(join(at, longName), "needle\n");
      await writeFile(join(at, ".gitignore"), `${stars}\n`.repeat(3_000));
      return [call("glob", { pattern: "*" })];
    },
  ],
  [
    "ignore files that are devices",
    async (at) => {
      for (const [name, device] of [
        ["p", "/dev/ptmx"],
        ["z", "/dev/zero"],
      ] as const) {
        await mkdir(join(at, name));
        await symlink(device, join(at, name, ".gitignore"));
      }
      await mkdir(join(at, "f"));
      execFileSync("mkfifo", [join(at, "f", ".gitignore"), join(at, "fifo")]);
      const search = call("grep", { pattern: "needle" });
      const looks = Array.from({ length: 4 }, () => call("glob", { pattern: "*" }));
      return [...looks, search, call("grep", { pattern: "needle", path: "fifo" })];
    },
  ],
  [
    "arguments that are nested or endless",
    () => {
      const many = `{"items":[${"1,".repeat(200_000)}1]}`;
      const depths = [65, 200, 5_000, 200_000].map((depth): Call => ["todo", nested(depth)]);
      return Promise.resolve([
        ...depths,
        ["todo", many],
        ["write_file", `{"x":"${"y".repeat(1_100_000)}`],
      ]);
    },
  ],
  [
    "pages of marks",
    () =>
      Promise.resolve(
        ["<", "<br", '<a href="http:', "<script", "&lt"].map((mark) =>
          call("web_fetch", { url: `${site}?${encodeURIComponent(mark)}` }),
        ),
      ),
  ],
  [
    "diffs of files without an end",
    async (at) => {
      await writeFile(join(at, "even"), lines("a\nb\nc", 100_000));
      await writeFile(join(at, "odd"), "\n".repeat(1_000_000));
      return ["even", "odd", "even"].map((path, word) =>
        call("write_file", { path, content: lines(`${word}\nb\nc`, 60_000) }),
      );
    },
  ],
  [
    "a piece of text that nearly stands everywhere",
    async (at) => {
      await writeFile(join(at, "same"), "a".repeat(9_000_000));
      await writeFile(join(at, "empty"), "\n".repeat(9_000_000));
      const edit = (path: string, oldText: string, replaceAll: boolean) =>
        call("edit_file", { path, oldText, newText: "c".repeat(100_000), replaceAll });
      const nearly = edit("same", `b${"a".repeat(300_000)}`, false);
      return [
        nearly,
        edit("same", "a", true),
        edit("empty", "\n", false),
        edit("empty", "x", false),
      ];
    },
  ],
];

it.each(floods)(
  "A54 %s: another turn's abort settles meanwhile",
  async (_, prepare) => {
    await startDrone();
    const directory = await mkdtemp(join(folder, "flood-"));
    const source = { kind: "directory" as const, directory };
    const calls = await prepare(directory);
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
      for (const turn of [other, busy]) {
        const asked = performance.now();
        expect(await server.abort(turn.turnId)).toMatchObject({ success: true });
        const { message } = await server.completed(turn.turnId, 20_000);
        expect(message).toBe("aborted");
        // Its deadline is 5 s; a machine under load takes its time, a drone that stands still all of it.
        expect(performance.now() - asked).toBeLessThan(10_000);
      }
      // Every thread of the pool is free again, and no tool was left behind.
      const read = await server.ask("readWorkspace", [{ source, path: "" }]);
      expect(read.kind).toBe("folder");
      const notices = server.eventsOf(turnId, "notice");
      expect(notices.filter(({ code }) => code === "abort")).toEqual([]);
    } catch (error) {
      await child.end();
      throw error;
    }
  },
  120_000,
);

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
