import { beforeEach, describe, expect, it } from "vitest";
import { otherTurnId, session, sessionId, turnId } from "../../test/samples.ts";
import { isUnseen, markSeen, seenStore } from "./seen-store.ts";

const finished = (id: typeof turnId) => ({
  ...session,
  lastTurn: { id, status: "finished" as const },
});

describe("unseen sessions", () => {
  beforeEach(() => seenStore.setState({ seen: {} }));

  it("are those in which a turn has ended since they were looked at", () => {
    markSeen(sessionId, turnId);
    const { seen } = seenStore.getState();
    expect(isUnseen(finished(turnId), seen)).toBe(false);
    expect(isUnseen(finished(otherTurnId), seen)).toBe(true);
    const running = { ...session, lastTurn: { id: otherTurnId, status: "processing" as const } };
    expect(isUnseen(running, seen)).toBe(false);
  });

  it("do not include what this browser never opened", () => {
    expect(isUnseen(finished(turnId), seenStore.getState().seen)).toBe(false);
  });
});
