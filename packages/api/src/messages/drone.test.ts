import { expect, it } from "vitest";
import { newId, TurnId } from "../id.ts";
import { Heartbeat } from "./drone.ts";

it("takes as many running turns as a drone can hold, and no list without an end", () => {
  const turns = (count: number) => Array.from({ length: count }, () => newId(TurnId));
  expect(Heartbeat.safeParse({ running: turns(1_000) }).success).toBe(true);
  expect(Heartbeat.safeParse({ running: turns(2_001) }).success).toBe(false);
});
