import { type Drone, DroneId } from "@gadget/api";
import { expect, it } from "vitest";
import { droneLabel } from "./drone-label.ts";

function drone(id: string, name: string, host: string): Drone {
  return {
    id: DroneId.parse(id),
    name,
    status: "online",
    host,
    version: "1.0.0",
    labels: [],
    running: 0,
    capacity: 4,
    lastSeenAt: null,
    shared: false,
    mine: true,
  };
}

it("drones of one name are told apart by their host, or else by a piece of their id", () => {
  const all = [
    drone("drone-aaaa", "vm", "vm"),
    drone("drone-bbbb", "vm", "vm"),
    drone("drone-cccc", "vm", "attic"),
    drone("drone-dddd", "box", "box"),
  ];
  expect(all.map((each) => droneLabel(each, all))).toEqual([
    "vm (aaaa)",
    "vm (bbbb)",
    "vm (attic)",
    "box",
  ]);
});
