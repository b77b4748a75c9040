import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OtherNodes } from "../../src/nodes/other-nodes.ts";
import { leaveSweep, takeSweep } from "../../src/nodes/sweep-lease.ts";
import type { TurnContext } from "../../src/turns/state/turn-context.ts";
import { startServer, type TestServer } from "../server.ts";

let server: TestServer;
let clock = Date.now();
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

function node(self: string): TurnContext {
  const { context } = server.app;
  const nodes: OtherNodes = { ...context.nodes, self, shared: true };
  return { ...context, nodes, now: () => new Date(clock) };
}

describe("the sweep", () => {
  it("is done by one of several nodes at a time, and goes over when that one is gone", async () => {
    const nodes = ["a", "b", "c", "d"].map(node);
    for (let round = 0; round < 5; round += 1) {
      const taken = await Promise.all(nodes.map((each) => takeSweep(each, 1_000)));
      expect(taken.filter(Boolean)).toHaveLength(1);
      const holder = nodes[taken.indexOf(true)];
      if (holder === undefined) {
        throw new Error("nobody sweeps");
      }
      clock += 900;
      expect(await takeSweep(holder, 1_000)).toBe(true);
      const others = nodes.filter((each) => each !== holder);
      const tries = others.map((each) => takeSweep(each, 1_000));
      expect(await Promise.all(tries)).toEqual([false, false, false]);
      if (round % 2 === 0) {
        await leaveSweep(holder);
      } else {
        clock += 1_001;
      }
    }
  });
});
