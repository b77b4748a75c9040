import { expect, it } from "vitest";
import type { CommandResult } from "../process/command.ts";
import { SimulatedClock } from "../simulated-clock.ts";
import { Receipt } from "./receipt.ts";

const ended: CommandResult = {
  started: true,
  exitCode: null,
  signalName: "SIGKILL",
  stoppedBy: "abort",
  processesEnded: 2,
  left: 0,
  proven: true,
  supervisorLost: false,
  durationMs: 5,
};

function receipt({ aborted = true } = {}) {
  const notices: string[] = [];
  const clock = new SimulatedClock();
  const receipt = new Receipt(clock, (level, code) => notices.push(`${level} ${code}`));
  if (aborted) {
    receipt.begin();
  }
  return { notices, receipt, clock };
}

it("A18 claims that nothing is left where every end was proven", async () => {
  const { receipt: it, notices } = receipt();
  const done = Promise.resolve(ended);
  it.watch(done);
  await done;
  it.tellLeft();
  expect(it.stopped()).toEqual({ afterMs: 0, processes: 2, left: 0 });
  expect(notices).toEqual([]);
});

it("A17 A18 counts a command that has not ended at the deadline as left", async () => {
  const { receipt: it, notices } = receipt();
  it.watch(new Promise(() => {}));
  it.watch(Promise.resolve(ended));
  await Promise.resolve();
  it.leaveBehind();
  it.tellLeft();
  expect(it.stopped()).toEqual({ afterMs: 0, processes: 2, left: 1, unproven: true });
  expect(notices).toEqual(["warning abort"]);
});

it("A17 claims nothing when anything of the turn went on past the deadline", () => {
  const { receipt: it } = receipt();
  it.leaveBehind();
  expect(it.stopped()).toEqual({ afterMs: 0, processes: 0, left: 0, unproven: true });
});

it("says at once, and once, that a supervisor was killed", async () => {
  const { receipt: it, notices } = receipt();
  for (const _ of [1, 2]) {
    it.watch(Promise.resolve({ ...ended, proven: false, supervisorLost: true }));
  }
  await Promise.resolve();
  expect(notices).toEqual(["warning unproven"]);
});

it("background commands go on after a turn that was not aborted", () => {
  const { receipt: it, notices } = receipt({ aborted: false });
  expect(it.stopped()).toBeUndefined();
  it.watch(new Promise(() => {}), { background: true });
  it.tellLeft();
  expect(notices).toEqual([]);
  it.watch(new Promise(() => {}));
  it.tellLeft();
  expect(notices).toEqual(["warning abort"]);
});
