import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { census } from "@gadget/testing/census";
import { eventually } from "@gadget/testing/eventually";
import { afterEach, describe, expect, it } from "vitest";
import { supervisorCapability } from "../src/process/supervisor-capability.ts";
import { daemon, readyCount } from "./process/descendants.ts";
import { beside, forgery, weapons, writeWeapons } from "./process/weapons.ts";
import { TestDrone } from "./support/test-drone.ts";

const capability = await supervisorCapability();
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

async function start() {
  const test = await TestDrone.start();
  ends.push(() => test.stop());
  const { server, model } = test;
  const order = test.order();
  const workspace = test.workspace(order);
  await mkdir(workspace, { recursive: true });
  await writeWeapons(workspace);
  ends.push(() => endAll(workspace));
  return {
    server,
    turnId: order.turnId,
    workspace,
    /** Resolves when something of it runs. */
    run: async (command: string, more: { background?: boolean } = {}) => {
      model.answer((call) => {
        if (call.toolResults.length === 0) {
          call.tool("shell", { command, ...more });
        } else if (more.background === true) {
          call.tool("wait", { seconds: 300 });
        } else {
          call.text("Done.");
        }
        call.end();
      });
      await server.submit(order);
      await eventually("something of it runs", async () => (await readyCount(workspace)) > 0);
    },
    /** What the receipt says of an abort now. */
    abort: async () => {
      await server.abort(order.turnId);
      const end = await server.completed(order.turnId);
      expect(end).toMatchObject({ success: true, message: "aborted" });
      return server.eventsOf(order.turnId, "turn:changed").at(-1)?.stopped;
    },
  };
}

const canPlay = capability.supervisor === "subreaper" && process.arch === "x64";

describe.skipIf(!canPlay)("a command that attacks its supervisor", () => {
  for (const [name, weapon] of Object.entries(weapons)) {
    it(`A18 A42 ${name}: the receipt is true`, async () => {
      const { run, abort, workspace } = await start();
      await run(beside(weapon));
      await eventually("the weapon is used", () => existsSync(join(workspace, "armed")));
      const stopped = await abort();
      expect(await census(workspace)).toEqual([]);
      expect(stopped).toMatchObject({ left: 0, processes: expect.any(Number) });
      expect(stopped?.processes).toBeGreaterThan(0);
    });
  }

  it("A18 A42 forges its report and kills it: the receipt does not believe it", async () => {
    const { run, abort, server, turnId, workspace } = await start();
    await run(beside(forgery));
    await eventually("the weapon is used", () => existsSync(join(workspace, "armed")));
    expect(await abort()).toMatchObject({ unproven: true });
    expect(server.eventsOf(turnId, "notice")).toMatchObject([
      { level: "warning", code: "unproven" },
    ]);
  });

  it("A18 kills it: a turn that goes on says that something may be left", async () => {
    const { run, server, turnId } = await start();
    await run(beside("kill -9 $PPID; sleep 300"));
    expect(await server.completed(turnId)).toMatchObject({ success: true });
    expect(server.eventsOf(turnId, "notice")).toMatchObject([
      { level: "warning", code: "unproven" },
    ]);
  });
});

it.skipIf(!canPlay)(
  "A18 A42 a background command that became a daemon is ended with an abort, and that is proven",
  async () => {
    const { run, abort, workspace } = await start();
    await run(daemon, { background: true });
    const stopped = await abort();
    expect(await census(workspace)).toEqual([]);
    expect(stopped).toMatchObject({ left: 0 });
    expect(stopped?.unproven).toBeUndefined();
  },
);

/** Runs what it is told through a socket, as a tmux server does that was there before. */
const otherServer = `use IO::Socket::UNIX;
  my $socket = IO::Socket::UNIX->new(Local => "socket", Listen => 1);
  $| = 1; print "ready\\n";
  while (my $client = $socket->accept) {
    my $told = <$client>;
    if (!fork) { exec "/bin/sh", "-c", $told }
  }`;

it.skipIf(!canPlay)(
  "A18 A42 what another program was told to run is not the turn's: the limit of the receipt",
  async () => {
    const { run, abort, workspace } = await start();
    const server = spawn("perl", ["-e", otherServer], { cwd: workspace });
    ends.push(async () => server.kill("SIGKILL"));
    await once(server.stdout, "data");
    const told = 'print {IO::Socket::UNIX->new(Peer => "socket")} "exec sh ./stubborn.sh ."';
    await run(`perl -MIO::Socket::UNIX -e '${told}'; sleep 300`);
    const stopped = await abort();
    // It claims what it can prove: of what the command itself started nothing is left.
    expect(stopped).toMatchObject({ left: 0 });
    expect((await census(workspace)).join("\n")).toContain("stubborn.sh");
  },
);
