import { describe, expect, it } from "vitest";
import { SimulatedClock } from "../simulated-clock.ts";
import { Lease } from "./lease.ts";

describe("Lease", () => {
  it("A34 ends a little before the server's grace, counted from the sending of the heartbeat", () => {
    const clock = new SimulatedClock();
    const lease = new Lease(clock);
    let lostAt: number | undefined;
    lease.watch(10_000, () => (lostAt = clock.now()));
    clock.advance(5_000);
    const sentAt = clock.now();
    clock.advance(800);
    lease.renew(sentAt);
    clock.advance(7_100);
    expect(lostAt).toBeUndefined();
    clock.advance(100);
    expect(lostAt).toBe(13_000);
  });

  it("A34 has ended after a long stop, before any timer has fired", () => {
    const clock = new SimulatedClock();
    const lease = new Lease(clock);
    let lost = false;
    lease.watch(10_000, () => (lost = true));
    clock.sleep(20_000);
    expect(lost).toBe(false);
    expect(lease.isHeld(10_000)).toBe(false);
    clock.advance(0);
    expect(lost).toBe(true);
  });

  it("is not shortened by an answer that comes late", () => {
    const clock = new SimulatedClock();
    const lease = new Lease(clock);
    clock.advance(1_000);
    lease.renew(900);
    lease.renew(100);
    clock.advance(7_800);
    expect(lease.isHeld(10_000)).toBe(true);
  });

  it("calls nobody who has stopped watching", () => {
    const clock = new SimulatedClock();
    const lease = new Lease(clock);
    const stop = lease.watch(1_000, () => expect.unreachable());
    stop();
    clock.advance(5_000);
    expect(lease.isHeld(1_000)).toBe(false);
  });
});
