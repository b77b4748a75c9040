import { RefusalError, type TurnEvent } from "@gadget/api";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Request } from "../lib/api.ts";
import { FakeServer } from "../test/fake-server.ts";
import {
  delta,
  joinedWith,
  numbered,
  otherTurnId,
  sampleTurn,
  session,
  sessionId,
  textStart,
  turnId,
} from "../test/samples.ts";
import type { Frames } from "./frame-queue.ts";
import { SessionFeed } from "./session-feed.ts";
import { statusOf } from "./turn-entry.ts";

/** Frames and timers that run when the test says so. */
class HandFrames implements Frames {
  isHidden = false;
  #frames = new Set<() => void>();
  #timers = new Set<() => void>();

  hidden = () => this.isHidden;
  onFrame = (run: () => void) => this.#add(this.#frames, run);
  onTimer = (run: () => void) => this.#add(this.#timers, run);
  frame = () => this.#runAll(this.#frames);
  timer = () => this.#runAll(this.#timers);

  #add(to: Set<() => void>, run: () => void): () => void {
    to.add(run);
    return () => to.delete(run);
  }

  #runAll(all: Set<() => void>): void {
    const due = [...all];
    all.clear();
    for (const run of due) {
      run();
    }
  }
}

type Rest = (name: string, options: { query?: { after?: number } }) => Promise<unknown>;

const settle = () => new Promise<void>((resolve) => void setImmediate(resolve));

describe("the session feed", () => {
  let server: FakeServer;
  let frames: HandFrames;
  let feed: SessionFeed;
  let stored: TurnEvent[];
  let turn = sampleTurn();

  const rest = vi.fn<Rest>((name: string, options: { query?: { after?: number } }) => {
    if (name === "getTurn") {
      return Promise.resolve({ turn });
    }
    if (name !== "listEvents") {
      throw new RefusalError("not_found");
    }
    const items = stored.filter(({ seq }) => seq > (options.query?.after ?? 0));
    return Promise.resolve({ items, nextCursor: null });
  });
  const fetches = () => rest.mock.calls.filter(([name]) => name === "listEvents");
  const entry = () => feed.store.getState().turns.get(turnId);
  const text = () => {
    const part = entry()?.transcript.parts[0];
    return part?.kind === "text" ? part.text : undefined;
  };
  const push = (events: TurnEvent[]) => server.push("turnEvents", { turnId, events });

  beforeEach(async () => {
    server = new FakeServer();
    frames = new HandFrames();
    stored = [];
    turn = sampleTurn();
    rest.mockClear();
    server.joined = joinedWith(turn);
    feed = new SessionFeed(sessionId, {
      socket: server.client,
      request: rest as unknown as Request,
      frames,
    });
    feed.open();
    server.client.connect();
    await settle();
    frames.frame();
  });

  it("applies what came since the last frame in one flush", () => {
    const changes = vi.fn<() => void>();
    feed.store.subscribe(changes);
    push(numbered(1, textStart));
    for (let seq = 2; seq < 50; seq += 1) {
      push(numbered(seq, delta("a")));
    }
    expect(changes).not.toHaveBeenCalled();
    frames.frame();
    expect(changes).toHaveBeenCalledOnce();
    expect(text()).toBe("a".repeat(48));
  });

  it("flushes on a timer while the page is hidden", () => {
    frames.isHidden = true;
    push(numbered(1, textStart, delta("hidden")));
    frames.frame();
    expect(text()).toBeUndefined();
    frames.timer();
    expect(text()).toBe("hidden");
  });

  it("drops what it knows already", () => {
    const events = numbered(1, textStart, delta("once"));
    push(events);
    push(events);
    frames.frame();
    push(events);
    frames.frame();
    expect(text()).toBe("once");
    expect(fetches()).toHaveLength(0);
  });

  it("fetches what is missing once, however many events wait for it", async () => {
    stored = numbered(1, textStart, delta("a"), delta("b"));
    push(numbered(1, textStart));
    frames.frame();
    push(numbered(4, delta("c")));
    frames.frame();
    push(numbered(5, delta("d")));
    frames.frame();
    await settle();
    frames.frame();
    expect(text()).toBe("abcd");
    expect(fetches().map(([, options]) => options.query)).toEqual([{ after: 1 }]);
  });

  it("waits before it asks again for what is not stored yet", async () => {
    push(numbered(3, delta("late")));
    frames.frame();
    await settle();
    frames.frame();
    await settle();
    expect(fetches()).toHaveLength(1);
    stored = numbered(1, textStart, delta("early "));
    frames.timer();
    await settle();
    frames.frame();
    await settle();
    frames.frame();
    expect(text()).toBe("early late");
  });

  it("A7 takes back what was shown and never stored", async () => {
    push(numbered(1, textStart, delta("kept"), delta(" lost"), delta(" too")));
    frames.frame();
    expect(text()).toBe("kept lost too");
    turn = sampleTurn({ status: "interrupted" });
    stored = numbered(1, textStart, delta("kept"), {
      type: "turn:changed",
      status: "interrupted",
    });
    push(stored.slice(2));
    frames.frame();
    await settle();
    frames.frame();
    expect(text()).toBe("kept");
    expect(entry() && statusOf(entry()!)).toBe("interrupted");
  });

  it("A5 takes over a turn that another tab started", () => {
    server.pushTurn(sampleTurn({ id: otherTurnId, createdAt: "2026-01-02T04:00:00.000Z" }));
    frames.frame();
    expect(feed.store.getState().order).toEqual([turnId, otherTurnId]);
  });

  it("A7 an older word on a turn never overwrites a newer one", () => {
    server.pushTurn(
      sampleTurn({ status: "aborting", abortRequestedAt: "2026-01-02T03:05:00.000Z" }),
    );
    frames.frame();
    server.pushTurn(sampleTurn({ status: "processing" }));
    frames.frame();
    expect(entry()?.turn.status).toBe("aborting");
    server.pushTurn(sampleTurn({ status: "aborted" }));
    frames.frame();
    server.pushTurn(sampleTurn({ status: "aborting" }));
    frames.frame();
    expect(entry()?.turn.status).toBe("aborted");
  });

  it("A39 joins again after a lost connection with what it holds, and catches up", async () => {
    push(numbered(1, textStart, delta("before")));
    frames.frame();
    server.socket.disconnect();
    server.joined = {
      session,
      queue: [],
      turns: [],
      missed: [{ turn, events: numbered(3, delta(" after")) }],
    };
    server.client.connect();
    await settle();
    frames.frame();
    expect(server.handlers.joinSession).toHaveBeenLastCalledWith({
      sessionId,
      have: [{ turnId, after: 2 }],
    });
    expect(server.handlers.abortWorkOrder).not.toHaveBeenCalled();
    expect(text()).toBe("before after");
  });

  it("fetches a turn whose completion was told while its last events got lost", async () => {
    turn = sampleTurn({ status: "finished" });
    stored = numbered(1, { type: "turn:changed", status: "finished" });
    server.push("workOrderComplete", turnId, true);
    frames.timer();
    await settle();
    expect(entry() && statusOf(entry()!)).toBe("finished");
  });

  it("says why a session can't be opened", async () => {
    server.handlers.joinSession.mockImplementation(() => {
      throw new RefusalError("not_found");
    });
    server.socket.disconnect();
    server.client.connect();
    await settle();
    expect(feed.store.getState()).toMatchObject({ phase: "failed" });
  });
});
