import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedMongo } from "@gadget/embedded-mongo";
import fc from "fast-check";
import mongoose from "mongoose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureIndexes, type Models, openModels } from "../../../gadget-code/src/models/models.ts";
import { isLong, randomOf, seed } from "../torture/scale.ts";
import { type Deed, World } from "./world.ts";

const histories = isLong ? 10_000 : 500;
/** So many histories at a time: one alone would wait for the database most of the time. */
const lanes = 6;

/** A database for each lane: a server sweeps all turns that it finds in its own. */
const databases: Models[] = [];
let close: () => Promise<void>;

beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "gadget-simulation-"));
  const database = await startEmbeddedMongo({ dataDir });
  const connections: mongoose.Connection[] = [];
  for (let lane = 0; lane < lanes; lane += 1) {
    // One connection: requests keep their order, so that a seed gives the same history again.
    const connection = mongoose.createConnection(database.uri, {
      dbName: `lane-${lane}`,
      maxPoolSize: 1,
      ignoreUndefined: true,
    });
    connections.push(connection);
    await connection.asPromise();
    const models = openModels(connection);
    await ensureIndexes(models);
    databases.push(models);
  }
  close = async () => {
    await Promise.all(connections.map((connection) => connection.close()));
    await database.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
});
afterAll(() => close());

const session = fc.nat({ max: 1 });
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("submit" as const), session }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("abort" as const), session }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("force" as const), session }) },
  { weight: 2, arbitrary: fc.constant<Deed>({ do: "cut" }) },
  { weight: 1, arbitrary: fc.constant<Deed>({ do: "killDrone" }) },
  { weight: 2, arbitrary: fc.constant<Deed>({ do: "twice" }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("stall" as const),
      ms: fc.integer({ min: 10, max: 25_000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("stopDrone" as const),
      ms: fc.integer({ min: 10, max: 90_000 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("killServer" as const),
      after: fc.nat({ max: 30 }),
      downMs: fc.integer({ min: 1, max: 5_000 }),
    }),
  },
);
const history = fc.record({
  chance: fc.nat(),
  deeds: fc.array(fc.tuple(deed, fc.oneof(fc.nat({ max: 60 }), fc.nat({ max: 2_000 }))), {
    minLength: 2,
    maxLength: 10,
  }),
});
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

/** Histories that once ended badly. */
const found: { name: string; one: History }[] = [
  {
    name: "a lease that ended while the hello was on its way left the turn processing for ever",
    one: {
      chance: 1_606_440_994,
      deeds: [
        [{ do: "cut" }, 0],
        [{ do: "submit", session: 0 }, 0],
        [{ do: "abort", session: 1 }, 500],
        [{ do: "stopDrone", ms: 52_938 }, 0],
        [{ do: "cut" }, 0],
      ],
    },
  },
  {
    name: "a refusal that came too late to be heard left the turn processing for ever",
    one: {
      chance: 0,
      deeds: [
        [{ do: "stall", ms: 14_963 }, 0],
        [{ do: "submit", session: 1 }, 0],
        [{ do: "force", session: 1 }, 0],
        [{ do: "stall", ms: 10 }, 0],
        [{ do: "submit", session: 1 }, 0],
      ],
    },
  },
  {
    name: "an order that was still on its way was taken back, and its turn's end ignored",
    one: {
      chance: 14,
      deeds: [
        [{ do: "stall", ms: 15_000 }, 0],
        [{ do: "submit", session: 0 }, 0],
        [{ do: "abort", session: 0 }, 0],
        [{ do: "twice" }, 0],
        [{ do: "abort", session: 0 }, 0],
        [{ do: "twice" }, 0],
        [{ do: "twice" }, 0],
      ],
    },
  },
];

async function live({ chance, deeds }: History, lane = 0): Promise<string[]> {
  const models = databases[lane];
  if (models === undefined) {
    throw new Error(`There is no lane ${lane}.`);
  }
  const world = new World(models, randomOf(chance));
  await world.begin();
  for (const [one, ms] of deeds) {
    world.perform(one);
    await world.pass(ms);
  }
  await world.heal();
  const violations = await world.verify();
  await world.end();
  return violations;
}

describe("a simulated history of server, drone and network", () => {
  it.each(found)("A36 stays right: $name", async ({ one }) => {
    expect(await live(one)).toEqual([]);
  });

  it("A2 A3 A7 A34 A35 keeps its promises, whatever is lost, late, twice or killed", async () => {
    process.stdout.write(`simulation: ${histories} histories, seed ${seed}\n`);
    const numRuns = Math.ceil(histories / lanes);
    const runs = databases.map((_, lane) =>
      fc.assert(
        fc.asyncProperty(history, async (one) => {
          expect(await live(one, lane)).toEqual([]);
        }),
        { numRuns, seed: seed + lane },
      ),
    );
    await Promise.all(runs);
  }, 3_600_000);
});
