import { execFileSync } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { census } from "@gadget/testing/census";
import { eventually } from "@gadget/testing/eventually";
import { ScriptedModel } from "@gadget/testing/scripted-model";
import { afterEach, expect, it } from "vitest";
import { daemon, readyCount, writeDescendants } from "./process/descendants.ts";
import { DroneChild } from "./support/drone-child.ts";
import { TestDrone } from "./support/test-drone.ts";
import { TestServer } from "./support/test-server.ts";

const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) {
    await end();
  }
});

/** What a test left running, by its number. */
async function endAll(folder: string): Promise<void> {
  for (const found of await census(folder)) {
    process.kill(Number.parseInt(found, 10), "SIGKILL");
  }
}

it.each([
  ["a command", false],
  ["one in the background", true],
])(
  "A18 A42 without a subreaper the receipt does not claim that nothing is left of %s",
  async (_, background) => {
    const test = await TestDrone.start({ supervisor: "best-effort" });
    ends.push(() => test.stop());
    const { server, model } = test;
    expect((await server.greeted()).abilities.supervisor).toBe("best-effort");
    const order = test.order();
    const { turnId } = order;
    const workspace = test.workspace(order);
    await mkdir(workspace, { recursive: true });
    await writeDescendants(workspace);
    ends.push(() => endAll(workspace));
    model.answer((call) => {
      if (call.toolResults.length === 0) {
        call.tool("shell", { command: daemon, background });
      } else {
        call.tool("wait", { seconds: 300 });
      }
      call.end();
    });
    await server.submit(order);
    await eventually("it runs", async () => (await readyCount(workspace)) > 0);
    await server.abort(turnId);
    expect(await server.completed(turnId)).toMatchObject({ success: true, message: "aborted" });
    const { stopped } = server.eventsOf(turnId, "turn:changed").at(-1) ?? {};
    expect(stopped).toMatchObject({ unproven: true, processes: expect.any(Number) });
    expect(stopped?.processes).toBeGreaterThan(0);
    expect(server.eventsOf(turnId, "notice")).toMatchObject([
      { code: "unproven", text: expect.stringContaining("can't prove") },
    ]);
  },
);

const canBecomeRoot = process.getuid?.() === 0 && hasPerl();

function hasPerl(): boolean {
  try {
    execFileSync("/usr/bin/perl", ["-e", "1"]);
    return true;
  } catch {
    return false;
  }
}

it.skipIf(!canBecomeRoot).each(["auto", "best-effort"])(
  "A18 A42 what can't be ended is counted as left, and a notice says so (%s)",
  async (supervisor) => {
    const [server, model] = await Promise.all([TestServer.start(), ScriptedModel.start()]);
    ends.push(() => Promise.all([server.stop(), model.stop()]));
    const folder = await realpath(await mkdtemp(join(tmpdir(), "gadget-receipt-")));
    ends.push(() => rm(folder, { recursive: true, force: true }));
    await chmod(folder, 0o777);
    // A program that becomes another user, as sudo does.
    await copyFile("/usr/bin/perl", join(folder, "become"));
    await chmod(join(folder, "become"), 0o4755);
    ends.push(() => endAll(folder));
    const given = ["--data", join(folder, "data"), "--server", server.url];
    const env = { GADGET_SUPERVISOR: supervisor, GADGET_LOG_LEVEL: "warn", HOME: folder };
    const args = [...given, "--enroll", "good-code-123"];
    const drone = new DroneChild(args, env, { asNobody: true });
    ends.push(() => drone.end());
    await server.greeted();
    const become = '$| = 1; $< = $>; $ENV{PATH} = "/bin"';
    const script = `${become}; print "ready\\n"; exec "/bin/sleep", "300"`;
    const command = `${folder}/become -e '${script}' & sleep 300`;
    model.answerWithTools(["shell", { command }]);
    const provider = { kind: "openai" as const, baseUrl: model.baseUrl, apiKey: "key" };
    const order = server.order({ provider });
    const { turnId } = order;
    await server.submit(order);
    await eventually("it runs", () =>
      server.eventsOf(turnId, "tool:output").some(({ text }) => text.includes("ready")),
    );
    await server.abort(turnId);
    expect(await server.completed(turnId)).toMatchObject({ success: true, message: "aborted" });
    const { stopped } = server.eventsOf(turnId, "turn:changed").at(-1) ?? {};
    expect(stopped).toMatchObject({ left: 1 });
    const notices = server.eventsOf(turnId, "notice").map(({ text }) => text);
    expect(notices).toContain(
      "1 process could not be ended and may still run on the drone's machine.",
    );
  },
);
