import {
  brokenCover,
  newId,
  RefusalError,
  type TurnEvent,
  type TurnEventBody,
  TurnId,
} from "@gadget/api";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SimulatedClock } from "../simulated-clock.ts";
import { Outbox, type OutboxLink } from "./outbox.ts";
import type { Completion, OutboxLog } from "./outbox-log.ts";

const turnId = newId(TurnId);
const delta = (text: string, partId = "p1"): TurnEventBody => ({
  type: "text:delta",
  partId,
  text,
});

it("A35 a send that fails on the next connection is tried again as well", async () => {
  const clock = new SimulatedClock();
  const server = new StoringServer(2);
  const outbox = new Outbox(
    { turnId, epoch: 1, nextSeq: 2, events: [] },
    {
      clock,
      log: new MemoryLog(),
      instant: () => "2026-01-01T00:00:00.000Z",
      mayWrite: () => true,
      onLost: () => {},
    },
  );
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  outbox.connect(server.link(() => "lost"));
  void outbox.complete({ success: true });
  await settled();
  // While the first connection's retry waits, a second one comes and fails, too.
  let fate: "ok" | "lost" = "lost";
  outbox.disconnect();
  outbox.connect(server.link(() => fate));
  await settled();
  fate = "ok";
  clock.advance(5_000);
  await settled();
  expect(server.completions).toEqual([{ success: true }]);
});

class MemoryLog implements OutboxLog {
  lines: string[] = [];
  completion: Completion | undefined;
  removed = false;
  append(lines: readonly string[]) {
    this.lines.push(...lines);
  }
  complete(completion: Completion) {
    this.completion = completion;
  }
  forget() {
    this.lines = [];
  }
  async written() {}
  async remove() {
    this.removed = true;
  }
}

/** Keeps what it is sent like the server: idempotent by number, acknowledged when asked to. */
class StoringServer {
  stored: TurnEvent[] = [];
  completions: Completion[] = [];
  storedSeq: number;

  constructor(nextSeq: number) {
    this.storedSeq = nextSeq - 1;
  }

  link(fate: () => "ok" | "lost" | "unanswered" = () => "ok"): OutboxLink {
    return {
      sendEvents: ({ events }) => {
        const now = fate();
        if (now !== "lost") {
          this.take(events);
        }
        if (now !== "ok") {
          return Promise.reject(new RefusalError("unavailable"));
        }
        return Promise.resolve({ storedSeq: this.storedSeq });
      },
      sendComplete: (_, completion) => {
        const now = fate();
        if (now !== "lost") {
          this.completions.push(completion);
        }
        return now === "ok" ? Promise.resolve() : Promise.reject(new RefusalError("unavailable"));
      },
    };
  }

  take(events: readonly TurnEvent[]) {
    for (const event of events) {
      if (event.seq !== this.storedSeq + 1) {
        continue;
      }
      this.stored.push(event);
      this.storedSeq = event.seq;
    }
  }
}

function setUp(nextSeq = 2) {
  const clock = new SimulatedClock();
  const log = new MemoryLog();
  const lost: string[] = [];
  let held = true;
  const outbox = new Outbox(
    { turnId, epoch: 3, nextSeq, events: [] },
    {
      clock,
      log,
      instant: () => new Date(clock.now()).toISOString(),
      mayWrite: () => held,
      onLost: () => lost.push("lost"),
    },
  );
  return { clock, log, outbox, lost, letGo: () => (held = false) };
}

describe("Outbox", () => {
  it("numbers from nextSeq and joins the deltas of 40 ms", () => {
    const { clock, outbox } = setUp(7);
    const server = new StoringServer(7);
    outbox.connect(server.link(), 6);
    outbox.push({ type: "text:start", partId: "p1" });
    clock.advance(0);
    for (const word of ["a", "b", "c"]) {
      outbox.push(delta(word));
      outbox.push(delta(word, "p2"));
    }
    clock.advance(39);
    expect(server.stored).toHaveLength(1);
    clock.advance(1);
    expect(server.stored).toMatchObject([
      { seq: 7, epoch: 3, type: "text:start" },
      { seq: 8, type: "text:delta", partId: "p1", text: "abc" },
      { seq: 9, type: "text:delta", partId: "p2", text: "abc" },
    ]);
  });

  it("joins no delta across an event of another kind", () => {
    const { clock, outbox } = setUp();
    const server = new StoringServer(2);
    outbox.connect(server.link(), 1);
    outbox.push(delta("a"));
    outbox.push({ type: "text:end", partId: "p1", text: "a" });
    outbox.push(delta("b"));
    clock.advance(40);
    expect(server.stored.map(({ type }) => type)).toEqual(["text:delta", "text:end", "text:delta"]);
  });

  it("A35 sends again after a reconnect what was not stored, and only that", async () => {
    const { clock, outbox } = setUp();
    const server = new StoringServer(2);
    outbox.push(delta("before there is a connection"));
    clock.advance(50);
    outbox.connect(server.link(), 1);
    outbox.disconnect();
    outbox.push({ type: "notice", level: "info", text: "while it is gone" });
    clock.advance(50);
    const sent: number[] = [];
    const link = server.link();
    outbox.connect(
      {
        ...link,
        sendEvents: (batch) => {
          sent.push(...batch.events.map(({ seq }) => seq));
          return link.sendEvents(batch);
        },
      },
      server.storedSeq,
    );
    expect(sent).toEqual([3]);
    expect(brokenCover(server.stored, 1)).toBeUndefined();
  });

  it("A35 keeps the completion until it is acknowledged, and sends it behind the events", async () => {
    const { clock, outbox, log } = setUp();
    const server = new StoringServer(2);
    outbox.push(delta("text"));
    const completed = outbox.complete({ success: true, message: "aborted" });
    expect(log.completion).toEqual({ success: true, message: "aborted" });
    outbox.connect(
      server.link(() => "lost"),
      1,
    );
    await Promise.resolve();
    outbox.disconnect();
    expect(log.removed).toBe(false);
    outbox.connect(
      server.link(() => "unanswered"),
      1,
    );
    await new Promise(setImmediate);
    expect(log.removed).toBe(false);
    clock.advance(1_000);
    outbox.connect(server.link(), server.storedSeq);
    await completed;
    expect(server.completions.length).toBeGreaterThan(1);
    expect(server.stored).toHaveLength(1);
    expect(log.removed).toBe(true);
  });

  it("A34 writes nothing once the lease has ended, and nothing after a kill", async () => {
    const { clock, outbox, letGo } = setUp();
    const server = new StoringServer(2);
    outbox.connect(server.link(), 1);
    letGo();
    outbox.push(delta("too late"));
    clock.advance(100);
    outbox.drop();
    await outbox.complete({ success: true });
    expect(server.stored).toEqual([]);
    expect(server.completions).toEqual([]);
  });

  it("reports a turn that the server has given away, once", async () => {
    const { clock, outbox, lost } = setUp();
    outbox.connect(
      {
        sendEvents: () => Promise.resolve({ storedSeq: 1, lost: true }),
        sendComplete: () => Promise.resolve(),
      },
      1,
    );
    outbox.push(delta("a"));
    clock.advance(50);
    await outbox.over;
    outbox.push(delta("b"));
    clock.advance(50);
    expect(lost).toEqual(["lost"]);
  });

  it("makes the work wait while too much is unacknowledged, unless it is aborted", async () => {
    const { clock, outbox } = setUp();
    const server = new StoringServer(2);
    for (let i = 0; i < 5; i++) {
      outbox.push(delta("x".repeat(1_000_000), `p${i}`));
      clock.advance(50);
    }
    const turn = new AbortController();
    let aborted = false;
    const waiting = outbox.room(turn.signal).then(() => (aborted = true));
    await Promise.resolve();
    expect(aborted).toBe(false);
    turn.abort();
    await waiting;
    const room = outbox.room(new AbortController().signal);
    outbox.connect(server.link(), 1);
    await room;
    const sizes = server.stored.map((event) =>
      event.type === "text:delta" ? event.text.length : 0,
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(5_000_000);
    expect(Math.max(...sizes)).toBeLessThan(40_000);
  });

  it("A35 loses and doubles nothing, whatever the connection does", async () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant("push" as const), text: fc.string() }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.nat(1500) }) },
      fc.record({ do: fc.constant("cut" as const) }),
      fc.record({
        do: fc.constant("connect" as const),
        fates: fc.infiniteStream(fc.constantFrom("ok", "lost", "unanswered")),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { clock, outbox, log } = setUp();
        const server = new StoringServer(2);
        let pushed = "";
        for (const now of steps) {
          if (now.do === "push") {
            pushed += now.text;
            outbox.push(delta(now.text));
          } else if (now.do === "wait") {
            clock.advance(now.ms);
          } else if (now.do === "cut") {
            outbox.disconnect();
          } else {
            const { fates } = now;
            outbox.connect(
              server.link(() => fates.next().value ?? "ok"),
              server.storedSeq,
            );
          }
          await new Promise(setImmediate);
        }
        const completed = outbox.complete({ success: true });
        outbox.connect(server.link(), server.storedSeq);
        await completed;
        expect(brokenCover(server.stored, 1)).toBeUndefined();
        const text = server.stored.map((event) => (event.type === "text:delta" ? event.text : ""));
        expect(text.join("")).toBe(pushed);
        expect(server.completions.length).toBeGreaterThan(0);
        expect(log.removed).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
