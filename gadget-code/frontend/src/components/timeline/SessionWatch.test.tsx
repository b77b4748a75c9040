import { QuestionId, type TurnEventBody } from "@gadget/api";
import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { joinedWith, numbered, sampleTurn, turnId, user } from "../../test/samples.ts";
import { NotificationOffer } from "../docks/NotificationOffer.tsx";
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

  it("tell of each piece once, whatever is drawn again or loaded again", async () => {
    const view = await renderSession(server, <SessionWatch />);
    hide(true);
    await push(1, question);
    await act(async () => {
      const renamed = { ...server.joined.session, title: "Another title" };
      server.push("sessionChanged", { session: renamed });
    });
    view.unmount();
    const again = new FakeServer();
    again.joined = joinedWith(sampleTurn());
    server = again;
    await renderSession(server, <SessionWatch />);
    await push(1, question);
    expect(shown).toEqual(["A session: A question waits for you"]);
    const other = { ...question, questionId: QuestionId.parse("question-2") };
    await push(2, { type: "question:closed", questionId: QuestionId.parse("question-1") }, other);
    expect(shown).toHaveLength(2);
  });
});

describe("the question whether to notify", () => {
  let server: FakeServer;

  beforeEach(async () => {
    asked.mockClear();
    FakeNotification.permission = "default";
    vi.stubGlobal("Notification", FakeNotification);
    server = new FakeServer();
    server.joined = joinedWith(sampleTurn());
  });
  afterEach(() => vi.unstubAllGlobals());

  const show = () => renderSession(server, <NotificationOffer />);
  const offer = () => screen.queryByRole("button", { name: "Notify me" });
  const settled = (seconds: number) =>
    new Date(Date.parse(sampleTurn().createdAt) + seconds * 1_000).toISOString();
  const end = (seconds: number) =>
    act(async () => {
      const turn = sampleTurn({ status: "finished", settledAt: settled(seconds) });
      server.pushTurn(turn);
      await new Promise((resolve) => void requestAnimationFrame(resolve));
    });

  it("is asked in the page after a run of more than 30 s; the browser asks after a yes", async () => {
    await show();
    expect(offer()).toBeNull();
    // The events of its end come before the turn with its times.
    await act(async () => {
      const events = numbered(1, { type: "turn:changed", status: "finished" });
      server.push("turnEvents", { turnId, events });
      await new Promise((resolve) => void requestAnimationFrame(resolve));
    });
    expect(offer()).toBeNull();
    await end(31);
    expect(asked).not.toHaveBeenCalled();
    fireEvent.click(screen.getByRole("button", { name: "Notify me" }));
    expect(asked).toHaveBeenCalledTimes(1);
    expect(offer()).toBeNull();
  });

  it("is not asked after a short run", async () => {
    await show();
    await end(5);
    expect(offer()).toBeNull();
  });

  it("is never asked at load, and not again after a no", async () => {
    server.joined = joinedWith(sampleTurn({ status: "finished", settledAt: settled(60) }));
    (await show()).unmount();
    expect(offer()).toBeNull();
    server = new FakeServer();
    server.joined = joinedWith(sampleTurn());
    const view = await show();
    await end(31);
    fireEvent.click(screen.getByRole("button", { name: "No thanks" }));
    expect(offer()).toBeNull();
    view.unmount();
    server = new FakeServer();
    server.joined = joinedWith(sampleTurn());
    await show();
    await end(31);
    expect(offer()).toBeNull();
  });
});
