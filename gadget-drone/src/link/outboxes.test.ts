import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Hello, type HelloAnswer, newId, TurnId, type WorkOrder } from "@gadget/api";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SimulatedClock } from "../simulated-clock.ts";
import { Lease } from "./lease.ts";
import type { OutboxLink } from "./outbox.ts";
import { Outboxes } from "./outboxes.ts";
import { ServerTime } from "./server-time.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "gadget-outboxes-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const turnId = newId(TurnId);
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rest of an order is not looked at here
const order = { turnId, epoch: 3, nextSeq: 2, graceMs: 60_000 } as WorkOrder;
const link: OutboxLink = {
  sendEvents: () => new Promise(() => {}),
  sendComplete: () => new Promise(() => {}),
};

/** One process of the drone, with what earlier ones left. */
async function drone(): Promise<Outboxes> {
  const clock = new SimulatedClock();
  const onError = (error: unknown) => {
    throw error;
  };
  const outboxes = new Outboxes({
    dataDir,
    clock,
    lease: new Lease(clock),
    time: new ServerTime(clock),
    onError,
  });
  await outboxes.readTails();
  return outboxes;
}

/** What a hello says and the server answers; only the turns are looked at. */
function greet(outboxes: Outboxes): void {
  const told = { running: outboxes.running(), begun: outboxes.begun() };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  outboxes.connect(link, told as Hello, { turns: [] } as unknown as HelloAnswer);
}

it("A1 an order that was taken and given up is named in the next hello, once", async () => {
  const outboxes = await drone();
  const outbox = outboxes.open(order, () => {});
  expect(outboxes.running()).toMatchObject([{ turnId, epoch: 3 }]);
  expect(outboxes.begun()).toEqual([]);
  outbox.drop();
  expect(outboxes.running()).toEqual([]);
  expect(outboxes.begun()).toEqual([{ turnId, epoch: 3 }]);
  await outbox.over;
  expect(outboxes.begun()).toEqual([{ turnId, epoch: 3 }]);
  greet(outboxes);
  expect(outboxes.begun()).toEqual([]);
});

it("A1 an order that an earlier process took and said nothing of is named until a hello is answered", async () => {
  const dead = await drone();
  const outbox = dead.open(order, () => {});
  await outbox.written();
  await drone();
  const outboxes = await drone();
  expect(outboxes.tails()).toEqual([]);
  expect(outboxes.begun()).toEqual([{ turnId, epoch: 3 }]);
  greet(outboxes);
  expect(outboxes.begun()).toEqual([]);
  await expect.poll(() => readdir(join(dataDir, "outbox"))).toEqual([]);
});
