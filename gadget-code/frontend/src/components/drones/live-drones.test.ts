import { type Drone, DroneId } from "@gadget/api";
import { beforeEach, expect, it } from "vitest";
import { createQueryClient } from "../../lib/use-request.ts";
import { LiveDrones } from "./live-drones.ts";

const client = createQueryClient();
let live: LiveDrones;

function drone(name: string, change: Partial<Drone> = {}): Drone {
  return {
    id: DroneId.parse(`drone-${name}`),
    name,
    status: "online",
    host: name,
    version: "1",
    labels: [],
    running: 0,
    capacity: 4,
    // The server's clock may be hours away from the page's.
    lastSeenAt: "2020-01-02T03:04:05.000Z",
    shared: false,
    mine: true,
    ...change,
  };
}

const status = (name: string) =>
  client
    .getQueryData<{ items: Drone[] }>(["listDrones", {}])
    ?.items.find((held) => held.name === name)?.status;

beforeEach(() => {
  live = new LiveDrones(client);
  client.clear();
  client.setQueryData(["listDrones", {}], { items: [drone("first"), drone("second")] });
});

it("ages the one that is silent while the other one's heartbeats come in", () => {
  for (let at = 0; at <= 40_000; at += 2_500) {
    live.take(drone("first", { lastSeenAt: new Date(at).toISOString() }));
    live.age(at);
    const expected = at < 20_000 ? "online" : at < 35_000 ? "stale" : "offline";
    expect([status("first"), status("second")]).toEqual(["online", expected]);
  }
});

it("believes a new heartbeat at once", () => {
  live.age(0);
  live.age(60_000);
  expect(status("second")).toBe("offline");
  live.take(drone("second", { lastSeenAt: "2020-01-02T03:05:05.000Z" }));
  live.age(60_001);
  expect(status("second")).toBe("online");
});

it("ages the drone whose page is open, too", () => {
  const key = ["getDrone", { params: { id: "drone-second" } }];
  client.setQueryData(key, { drone: drone("second") });
  live.age(0);
  live.age(20_000);
  expect(client.getQueryData(key)).toMatchObject({ drone: { status: "stale" } });
});
