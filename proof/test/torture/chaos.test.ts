import { setMaxListeners } from "node:events";
import { join } from "node:path";
import { census } from "@gadget/testing/census";
import { eventually } from "@gadget/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisServer } from "../../../gadget-code/test/nodes/redis.ts";
import { writeDescendants } from "../../../gadget-drone/test/process/descendants.ts";
import { Stack } from "../support/stack.ts";
import { Misfortune } from "./chaos/misfortune.ts";
import { PlannedModel } from "./chaos/planned-model.ts";
import { SessionLife } from "./chaos/session-life.ts";
import { turnFaults } from "./chaos/turn-faults.ts";
import { isLong, randomOf, seed, someAtATime } from "./scale.ts";

const sessions = 20;
const graceSeconds = 6;
const chaosMs = Number(process.env["TORTURE_CHAOS_MS"] ?? (isLong ? 600_000 : 60_000));
/** After everything is well again: graces, reconnects with back-off, and the sweep's first wait. */
const healMs = 90_000;

let stack: Stack;

describe.skipIf(redisServer === undefined)("chaos", () => {
  beforeAll(async () => {
    stack = await Stack.start({ nodes: 2, drones: 3, capacity: 6, graceSeconds });
  }, 120_000);
  afterAll(() => stack.stop(), 60_000);

  it(
    `A2 A7 A18 A34 A36 A38 ${sessions} sessions while parts are killed, stopped and cut off (seed ${seed})`,
    async () => {
      const model = new PlannedModel();
      stack.model.answer((call) => model.answer(call));
      const lives: SessionLife[] = [];
      for (let index = 0; index < sessions; index += 1) {
        const project = await stack.newProject(stack.droneAt(index % stack.drones.length));
        const folder = project.directory ?? "";
        await writeDescendants(folder);
        const at = { sessionId: await stack.newSession(project), folder };
        lives.push(new SessionLife(stack, model, index, randomOf(seed + 7_919 * (index + 1)), at));
      }
      const misfortune = new Misfortune(stack, randomOf(seed), graceSeconds * 1_000);
      const over = performance.now() + chaosMs;
      const isOver = () => performance.now() > over;
      const patience = new AbortController();
      setMaxListeners(0, patience.signal);
      const faults: string[] = [];
      const living = lives.map((life) =>
        life.live(isOver, patience.signal).catch((error: unknown) => {
          faults.push(`${life.turns.at(-1)?.plan.key}: it did not end: ${String(error)}`);
        }),
      );
      await misfortune.reign(isOver);
      await misfortune.heal();
      const late = setTimeout(() => patience.abort(new Error("its time is over")), healMs);
      await Promise.all(living);
      clearTimeout(late);
      faults.push(...misfortune.faults);

      const ends: Record<string, number> = {};
      const turns = lives.flatMap((life) => life.turns);
      await someAtATime(turns, 8, async (turn) => {
        const found = await turnFaults(stack, model, turn, graceSeconds * 1_000).catch(
          (error: unknown) => [`it can't be read: ${String(error)}`],
        );
        const { status } = await stack.turn(turn.id).catch(() => ({ status: "not stored" }));
        ends[status] = (ends[status] ?? 0) + 1;
        const { plan, id } = turn;
        faults.push(
          ...found.map((fault) => `${plan.key} (${plan.kind}, ${status}, ${id}): ${fault}`),
        );
      });
      for (const { folder } of stack.drones) {
        const workspaces = join(folder, "projects");
        await eventually("no process is left", async () => {
          return (await census(workspaces)).length === 0;
        }).catch(async () => faults.push(`left: ${(await census(workspaces)).join(", ")}`));
      }
      const slowest = Math.max(...turns.map(({ tookMs = 0 }) => tookMs)) / 1_000;
      process.stdout.write(
        `chaos: seed ${seed}, ${turns.length} turns ${JSON.stringify(ends)}, ${misfortune.log.length - 1} misfortunes, the slowest turn took ${slowest.toFixed(0)} s\n`,
      );
      if (faults.length > 0) {
        process.stdout.write(`${misfortune.log.join("\n")}\n`);
        process.stdout.write(`What the processes said is in ${await misfortune.write(seed)}\n`);
      }
      expect(faults).toEqual([]);
      expect(ends["aborted"]).toBeGreaterThan(0);
      expect(ends["finished"]).toBeGreaterThan(0);
    },
    chaosMs + healMs + 180_000,
  );
});
