import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { supervisorCapability } from "../src/process/supervisor-capability.ts";
import { census } from "./process/census.ts";
import { readyCount } from "./process/descendants.ts";
import { beside, forgery, weapons, writeWeapons } from "./process/weapons.ts";
import { eventually } from "./support/eventually.ts";
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

async function start(weapon: string) {
  const test = await TestDrone.start();
  ends.push(() => test.stop());
  const { server, model } = test;
  const order = test.order();
  const workspace = test.workspace(order);
  await mkdir(workspace, { recursive: true });
  await writeWeapons(workspace);
  ends.push(() => endAll(workspace));
  model.answerWithTools(["shell", { command: beside(weapon) }]);
  await server.submit(order);
  await eventually("the hidden child runs", async () => (await readyCount(workspace)) > 0);
  return { server, turnId: order.turnId, workspace };
}

const canPlay = capability.supervisor === "subreaper" && process.arch === "x64";

describe.skipIf(!canPlay)("a command that attacks its supervisor", () => {
  for (const [name, weapon] of Object.entries(weapons)) {
    it(`A18 A42 ${name}: the receipt is true`, async () => {
      const { server, turnId, workspace } = await start(weapon);
      await eventually("the weapon is used", () => existsSync(join(workspace, "armed")));
      await server.abort(turnId);
      expect(await server.completed(turnId)).toMatchObject({ success: true, message: "aborted" });
      const alive = await census(workspace);
      const { stopped } = server.eventsOf(turnId, "turn:changed").at(-1) ?? {};
      expect(alive).toEqual([]);
      expect(stopped).toMatchObject({ left: 0, processes: expect.any(Number) });
      expect(stopped?.processes).toBeGreaterThan(0);
    });
  }

  it("A18 A42 forges its report and kills it: the receipt does not believe it", async () => {
    const { server, turnId, workspace } = await start(forgery);
    await eventually("the weapon is used", () => existsSync(join(workspace, "armed")));
    await server.abort(turnId);
    expect(await server.completed(turnId)).toMatchObject({ success: true, message: "aborted" });
    const { stopped } = server.eventsOf(turnId, "turn:changed").at(-1) ?? {};
    expect(stopped).toMatchObject({ unproven: true });
    expect(server.eventsOf(turnId, "notice")).toMatchObject([
      { level: "warning", code: "unproven" },
    ]);
  });

  it("A18 kills it: a turn that goes on says that something may be left", async () => {
    const { server, turnId } = await start("kill -9 $PPID; sleep 300");
    expect(await server.completed(turnId)).toMatchObject({ success: true });
    expect(server.eventsOf(turnId, "notice")).toMatchObject([
      { level: "warning", code: "unproven" },
    ]);
  });
});
