import { QuestionId, type TurnEventBody } from "@gadget/api";
import { act } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { joinedWith, numbered, sampleTurn, turnId, user } from "../../test/samples.ts";
import { SessionWatch } from "./SessionWatch.tsx";

const shown: string[] = [];
const asked = vi.fn<() => Promise<string>>(async () => "granted");

/** The browser's own, as far as the page uses it. */
class FakeNotification {
  static permission = "granted";
  static requestPermission = asked;
  constructor(title: string, { body }: { body: string }) {
    shown.push(`${title}: ${body}`);
  }
  addEventListener(): void {}
}

const question: TurnEventBody = {
  type: "question:open",
  questionId: QuestionId.parse("question-1"),
  question: "Left or right?",
};

describe("notifications", () => {
  let server: FakeServer;

  beforeEach(() => {
    shown.length = 0;
    asked.mockClear();
    FakeNotification.permission = "granted";
    vi.stubGlobal("Notification", FakeNotification);
    server = new FakeServer();
    server.joined = joinedWith(sampleTurn());
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  const hide = (isHidden: boolean) => vi.spyOn(document, "hidden", "get").mockReturnValue(isHidden);
  const push = (first: number, ...bodies: TurnEventBody[]) =>
    act(async () => {
      server.push("turnEvents", { turnId, events: numbered(first, ...bodies) });
      // A page that is hidden has no frames: a timer takes their place.
      await new Promise((resolve) => setTimeout(resolve, 300));
    });

  it("tell of a question and of the end while the page is hidden", async () => {
    await renderSession(server, <SessionWatch />);
    hide(true);
    await push(1, question);
    expect(shown).toEqual(["A session: A question waits for you"]);
    await push(
      2,
      { type: "question:closed", questionId: QuestionId.parse("question-1"), answer: "Left" },
      { type: "turn:changed", status: "finished" },
    );
    expect(shown.at(-1)).toBe("A session: The turn is finished");
  });

  it("are not for a page that is looked at, nor for what had ended before", async () => {
    hide(false);
    await renderSession(server, <SessionWatch />);
    await push(1, question);
    expect(shown).toEqual([]);
    const late = new FakeServer();
    late.joined = joinedWith(sampleTurn({ status: "finished" }));
    hide(true);
    await renderSession(late, <SessionWatch />);
    expect(shown).toEqual([]);
  });

  it("never tell of one's own abort", async () => {
    await renderSession(server, <SessionWatch />);
    hide(true);
    const abortedBy = { id: user.id, name: user.name };
    await push(1, { type: "turn:changed", status: "aborted", abortedBy });
    expect(shown).toEqual([]);
  });

  it("are asked for after the first run of more than 30 s, and not before", async () => {
    FakeNotification.permission = "default";
    await renderSession(server, <SessionWatch />);
    const end = (seconds: number) =>
      act(async () => {
        const settledAt = new Date(Date.parse(sampleTurn().createdAt) + seconds * 1_000);
        server.pushTurn(sampleTurn({ status: "finished", settledAt: settledAt.toISOString() }));
        await new Promise((resolve) => setTimeout(resolve, 300));
      });
    await end(31);
    expect(asked).toHaveBeenCalledTimes(1);
    const short = new FakeServer();
    short.joined = joinedWith(sampleTurn());
    await renderSession(short, <SessionWatch />);
    server = short;
    await end(5);
    expect(asked).toHaveBeenCalledTimes(1);
  });
});
