import { MessageId, QuestionId, type TurnEventBody, UserId } from "@gadget/api";
import { act, fireEvent, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { FakeServer } from "../test/fake-server.ts";
import { renderSession } from "../test/render-session.tsx";
import {
  delta,
  joinedWith,
  numbered,
  sampleTurn,
  textStart,
  turnId,
  user,
} from "../test/samples.ts";
import { ChatTurn } from "./ChatTurn.tsx";
import { Docks } from "./docks/Docks.tsx";

const turnBox = () => screen.getByRole("article");
const nextFrame = () => new Promise((resolve) => void requestAnimationFrame(resolve));

describe("a turn", () => {
  let server: FakeServer;

  beforeEach(() => {
    server = new FakeServer();
  });

  const show = async (...bodies: TurnEventBody[]) => {
    await renderSession(
      server,
      <>
        <ChatTurn turnId={turnId} />
        <Docks />
      </>,
    );
    await push(1, ...bodies);
  };
  const push = async (first: number, ...bodies: TurnEventBody[]) => {
    await act(async () => {
      server.push("turnEvents", { turnId, events: numbered(first, ...bodies) });
      await nextFrame();
    });
  };

  it("is an article with its id and its status", async () => {
    server.joined = joinedWith(sampleTurn());
    await show();
    expect(turnBox()).toHaveAttribute("data-turn-id", turnId);
    expect(turnBox()).toHaveAttribute("data-status", "processing");
    await push(1, { type: "turn:changed", status: "finished" });
    expect(turnBox()).toHaveAttribute("data-status", "finished");
  });

  it("shows how far a long step is in one line, which stays as its end", async () => {
    server.joined = joinedWith(sampleTurn());
    const notice = { type: "notice", partId: "clone", level: "info", code: "clone" } as const;
    await show({ ...notice, phase: "start", text: "Cloning x" });
    expect(screen.getByText("Cloning x")).toHaveAttribute("aria-busy", "true");
    const by = { id: user.id, name: user.name };
    const messageId = MessageId.parse("message-1");
    await push(2, { type: "message:steered", messageId, text: "hurry", by });
    await push(3, { ...notice, phase: "delta", text: "Cloning x: 40%" });
    expect(screen.queryByText("Cloning x")).not.toBeInTheDocument();
    expect(screen.getByText("Cloning x: 40%")).toHaveAttribute("aria-busy", "true");
    await push(4, { ...notice, phase: "end", text: "Cloned x (5 s)." });
    expect(screen.queryByText(/^Cloning/)).not.toBeInTheDocument();
    const line = screen.getByText("Cloned x (5 s).");
    expect(line).toHaveAttribute("aria-busy", "false");
    expect(line.compareDocumentPosition(screen.getByText("hurry"))).toBe(
      Node.DOCUMENT_POSITION_FOLLOWING,
    );
  });

  it("A42 says who aborted it to the one who did, with the receipt", async () => {
    server.joined = joinedWith(
      sampleTurn({
        status: "aborted",
        abortedBy: { id: user.id, name: user.name },
        stopped: { afterMs: 41, processes: 4, left: 0 },
        filesChanged: [
          { path: "a.ts", change: "modified", added: 1, removed: 2 },
          { path: "b.ts", change: "created", added: 3, removed: 0 },
        ],
      }),
    );
    await show();
    expect(screen.getByText("The turn was aborted by you.")).toBeInTheDocument();
    expect(turnBox()).toHaveTextContent(
      /Stopped in 41 ms · 4 processes ended, 0 left\s*· 2 files changed\s*·\s*Undo changes/,
    );
    expect(screen.getByRole("button", { name: "Undo changes" })).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Continue" })).toBeInTheDocument();
  });

  it("A18 does not claim that nothing is left where the drone can't prove it", async () => {
    const stopped = { afterMs: 41, processes: 4, left: 0, unproven: true };
    server.joined = joinedWith(sampleTurn({ status: "aborted", stopped }));
    await show();
    expect(turnBox()).toHaveTextContent("4 processes ended, none seen to be left");
    expect(turnBox()).not.toHaveTextContent("0 left");
  });

  it("A42 names the one who aborted it to others", async () => {
    const grace = { id: UserId.parse("user-0002"), name: "Grace" };
    server.joined = joinedWith(sampleTurn({ status: "aborted", abortedBy: grace }));
    await show();
    expect(screen.getByText("The turn was aborted by Grace.")).toBeInTheDocument();
  });

  it("A22 the abort closes an open question", async () => {
    server.joined = joinedWith(sampleTurn());
    const questionId = QuestionId.parse("question-1");
    await show({ type: "question:open", questionId, question: "Left or right?" });
    expect(screen.getByRole("region", { name: "Question" })).toBeInTheDocument();
    await push(2, { type: "turn:changed", status: "aborted" });
    expect(screen.queryByRole("region", { name: "Question" })).toBeNull();
  });

  it("says of a shutdown what it was, in words", async () => {
    const ended = { status: "interrupted", errorMessage: "stopped by shutdown" } as const;
    server.joined = joinedWith(sampleTurn(ended));
    await renderSession(server, <ChatTurn turnId={turnId} />);
    expect(turnBox()).toHaveTextContent("The turn was interrupted.The drone was shut down.");
  });

  it("says on its working line that the model is silent, until it speaks", async () => {
    server.joined = joinedWith(sampleTurn());
    const waiting = { ms: 7_000 };
    const part = { partId: "model-1", phase: "delta", level: "info", code: "model" } as const;
    await show({ type: "notice", ...part, text: "Waiting.", waiting });
    expect(turnBox()).toHaveTextContent("Working");
    expect(turnBox()).toHaveTextContent("Waiting for the model…");
    await push(2, { type: "text:start", partId: "p1" });
    expect(turnBox()).not.toHaveTextContent("Waiting");
  });

  it("counts a back-off on its working line, and keeps a record of it afterwards", async () => {
    server.joined = joinedWith(sampleTurn());
    const text = "The provider limits how often it may be asked. Trying again in 12 s.";
    const waiting = { ms: 0, retryMs: 12_000, status: 429 };
    await show({ type: "notice", level: "info", code: "backoff", text, waiting });
    expect(screen.getAllByText(/Rate-limited \(429\)/)).toHaveLength(1);
    expect(turnBox()).not.toHaveTextContent("Tried again");
    await push(2, { type: "turn:changed", status: "aborting" });
    expect(turnBox()).not.toHaveTextContent("trying again");
    expect(turnBox()).toHaveTextContent("Rate-limited (429). Tried again after 12 s.");
  });

  it("shows what it cost only where a price is known, marked where it is an estimate", async () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 100_000, estimated: true };
    const settled = { status: "finished", usage } as const;
    server.joined = joinedWith(sampleTurn({ ...settled, price: { input: 1, output: 5 } }));
    const { unmount } = await renderSession(server, <ChatTurn turnId={turnId} />);
    expect(turnBox()).toHaveTextContent("≈ 1.1M billed≈ $1.50");
    unmount();
    server.joined = joinedWith(sampleTurn(settled));
    await renderSession(server, <ChatTurn turnId={turnId} />);
    expect(turnBox()).not.toHaveTextContent("$");
  });

  it("copies the answer, and not what its tools and subagents said", async () => {
    const writeText = vi.fn<(text: string) => Promise<void>>(async () => {});
    vi.stubGlobal("navigator", { clipboard: { writeText } });
    server.joined = joinedWith(sampleTurn());
    await show(
      textStart,
      delta("It is **done**."),
      { type: "text:end", partId: "p1", text: "It is **done**." },
      { type: "notice", level: "info", text: "Not this." },
      { type: "turn:changed", status: "finished" },
    );
    fireEvent.click(screen.getByRole("button", { name: "Copy the answer" }));
    expect(writeText).toHaveBeenCalledWith("It is **done**.");
    expect(await screen.findByRole("button", { name: "Copied" })).toBeInTheDocument();
    vi.unstubAllGlobals();
  });

  it("shows markup of the model as text", async () => {
    server.joined = joinedWith(sampleTurn());
    const hostile = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
    await show(
      { type: "text:start", partId: "p1" },
      { type: "text:end", partId: "p1", text: hostile },
    );
    expect(turnBox()).toHaveTextContent(hostile);
    expect(document.querySelector("article img, article script")).toBeNull();
  });
});
