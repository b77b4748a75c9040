import { DroneId } from "@gadget/api";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { StoredDrone } from "../models/drone.ts";
import { droneStatus } from "../models/drone-status.ts";
import { DroneSilence } from "./drone-silence.ts";

const _id = DroneId.parse("drone-0001");
let stored: StoredDrone | undefined;
let told: string[];
let isBroken: boolean;
let silence: DroneSilence;

beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  isBroken = false;
  silence = new DroneSilence({
    read: async () => {
      if (isBroken) {
        throw new Error("the database is away");
      }
      return stored;
    },
    tell: (drone) => void told.push(droneStatus(drone, new Date())),
    now: () => new Date(),
    log: { warn: () => {} },
  });
});

afterEach(() => {
  silence.close();
  vi.useRealTimers();
});

function heard(): StoredDrone {
  const drone = { _id, lastSeenAt: new Date(), draining: false, running: 0, capacity: 4 };
  stored = drone as StoredDrone;
  return stored;
}

it("tells of a drone that is not heard for 15 s, and once more after 30 s", async () => {
  silence.heard(heard());
  await vi.advanceTimersByTimeAsync(14_900);
  expect(told).toEqual([]);
  await vi.advanceTimersByTimeAsync(200);
  expect(told).toEqual(["stale"]);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(told).toEqual(["stale", "offline"]);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(told).toEqual(["stale", "offline"]);
});

it("is quiet about one that beats, here or at another node", async () => {
  for (let beat = 0; beat < 5; beat += 1) {
    silence.heard(heard());
    await vi.advanceTimersByTimeAsync(10_000);
  }
  // From now on another node hears it.
  heard();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told).toEqual([]);
});

it("is quiet about one that was revoked", async () => {
  silence.heard(heard());
  stored = undefined;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told).toEqual([]);
});

it("tries again while the database is away", async () => {
  silence.heard(heard());
  isBroken = true;
  await vi.advanceTimersByTimeAsync(31_000);
  expect(told).toEqual([]);
  isBroken = false;
  await vi.advanceTimersByTimeAsync(5_100);
  expect(told).toEqual(["offline"]);
});
