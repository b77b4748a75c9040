import { RefusalError } from "@gadget/api";
import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { toastStore } from "../../lib/toast.ts";
import { readDraft, readSending, writeDraft, writeSending } from "../../session/draft.ts";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { joinedWith, otherTurnId, sampleTurn, sessionId, turnId } from "../../test/samples.ts";
import { Composer } from "./Composer.tsx";

const box = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const button = (name: string) => screen.getByRole("button", { name });
const noButton = (name: string) => expect(screen.queryByRole("button", { name })).toBeNull();

async function pass(ms: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(ms));
}

function type(text: string): void {
  fireEvent.change(box(), { target: { value: text } });
}

describe("the composer", () => {
  let server: FakeServer;
  const show = () => renderSession(server, <Composer />);
  const submits = () => server.handlers.submitPrompt.mock.calls.map(([{ prompt }]) => prompt);

  beforeEach(() => {
    vi.useFakeTimers();
    server = new FakeServer();
  });

  afterEach(() => {
    toastStore.setState({ toasts: [] });
    vi.useRealTimers();
  });

  it("sends on Enter, breaks the line on Shift+Enter, and waits for an IME", async () => {
    await show();
    type("Hello");
    fireEvent.keyDown(box(), { key: "Enter", shiftKey: true });
    fireEvent.keyDown(box(), { key: "Enter", isComposing: true });
    fireEvent.keyDown(box(), { key: "Enter", keyCode: 229 });
    expect(submits()).toEqual([]);
    fireEvent.keyDown(box(), { key: "Enter" });
    await pass(0);
    expect(submits()).toEqual(["Hello"]);
    expect(box()).toHaveValue("");
  });

  it("brings back the last prompt on ArrowUp, but never over what was typed", async () => {
    server.joined = joinedWith(sampleTurn({ status: "finished", prompt: "Say hello" }));
    await show();
    type("half a thought");
    fireEvent.keyDown(box(), { key: "ArrowUp" });
    expect(box()).toHaveValue("half a thought");
    type("");
    fireEvent.keyDown(box(), { key: "ArrowUp" });
    expect(box()).toHaveValue("Say hello");
    fireEvent.keyDown(box(), { key: "Enter" });
    await pass(0);
    expect(submits()).toEqual(["Say hello"]);
  });

  it.each(["paste", "drop"] as const)("says a word when an image comes by %s", async (way) => {
    await show();
    const files = [new File(["not shown"], "shot.png", { type: "image/png" })];
    const isLeftToBrowser =
      way === "paste"
        ? fireEvent.paste(box(), { clipboardData: { files } })
        : fireEvent.drop(box(), { dataTransfer: { files } });
    expect(isLeftToBrowser).toBe(false);
    await pass(0);
    expect(
      screen.getByText(/can't be attached yet\. Put the file into the workspace/),
    ).toBeVisible();
  });

  it("A42 the toast of an abort goes when the turn has settled, and not before", async () => {
    server.joined = joinedWith(sampleTurn());
    await show();
    const toast = () => screen.queryByText("Aborting Agentic Workflow Loop...");
    fireEvent.click(button("Cancel"), { detail: 1 });
    await pass(6_000);
    expect(toast()).toBeInTheDocument();
    server.pushTurn(sampleTurn({ status: "aborted", settledAt: "2026-01-02T03:05:05.000Z" }));
    await pass(50);
    expect(toast()).not.toBeInTheDocument();
  });

  it("A42 the toast of an abort that settles at once can still be read", async () => {
    server.joined = joinedWith(sampleTurn());
    await show();
    const toast = () => screen.queryByText("Aborting Agentic Workflow Loop...");
    fireEvent.click(button("Cancel"), { detail: 1 });
    await pass(50);
    server.pushTurn(sampleTurn({ status: "aborted", settledAt: "2026-01-02T03:05:05.000Z" }));
    await pass(900);
    expect(toast()).toBeInTheDocument();
    await pass(400);
    expect(toast()).not.toBeInTheDocument();
  });

  it("A41 swaps Send for a red Cancel of type button in the same element", async () => {
    await show();
    type("Hello");
    const send = button("Send");
    expect(send).toHaveAttribute("type", "submit");
    fireEvent.click(send);
    await pass(0);
    expect(button("Cancel")).toBe(send);
    expect(button("Cancel")).toHaveAttribute("type", "button");
    noButton("Send");
  });

  it("A41 the second press of a double click on Send never hits Cancel; the third does", async () => {
    await show();
    type("Hello");
    fireEvent.click(button("Send"), { detail: 1 });
    await pass(0);
    fireEvent.click(button("Cancel"), { detail: 2 });
    await pass(400);
    expect(server.handlers.abortWorkOrder).not.toHaveBeenCalled();
    fireEvent.click(button("Cancel"), { detail: 3 });
    await pass(0);
    expect(server.handlers.abortWorkOrder).toHaveBeenCalledOnce();
    expect(button("Aborting...")).toBeDisabled();
  });

  it("A41 of two taps within 300 ms only the one on Send counts; a later tap cancels", async () => {
    const tap = (name: string) => {
      fireEvent.pointerDown(button(name), { pointerType: "touch" });
      fireEvent.click(button(name), { detail: 1 });
    };
    await show();
    type("Hello");
    tap("Send");
    await pass(299);
    tap("Cancel");
    await pass(0);
    expect(server.handlers.abortWorkOrder).not.toHaveBeenCalled();
    tap("Cancel");
    await pass(0);
    expect(server.handlers.abortWorkOrder).toHaveBeenCalledOnce();
  });

  it.each([0, 50, 200, 400])("A41 Cancel works %i ms after Enter", async (ms) => {
    await show();
    type("Hello");
    fireEvent.keyDown(box(), { key: "Enter" });
    await pass(ms);
    fireEvent.pointerDown(button("Cancel"), { pointerType: "touch" });
    fireEvent.click(button("Cancel"), { detail: 1 });
    await pass(0);
    expect(server.handlers.abortWorkOrder).toHaveBeenCalledOnce();
  });

  it("A41 Cancel counts at once when Send was pressed by a key or a screen reader", async () => {
    await show();
    type("Hello");
    fireEvent.click(button("Send"), { detail: 0 });
    await pass(100);
    fireEvent.click(button("Cancel"), { detail: 1 });
    await pass(0);
    expect(server.handlers.abortWorkOrder).toHaveBeenCalledOnce();
  });

  it("A41 Cancel works at once after a load, also by a double click that Send knows nothing of", async () => {
    server.joined = joinedWith(sampleTurn());
    await show();
    fireEvent.click(button("Cancel"), { detail: 2 });
    await pass(0);
    expect(server.handlers.abortWorkOrder).toHaveBeenCalledOnce();
  });

  it("A41 Cancel works at once on a turn that another tab started", async () => {
    await show();
    await act(async () => {
      server.pushTurn(sampleTurn());
      await vi.advanceTimersByTimeAsync(50);
    });
    fireEvent.click(button("Cancel"), { detail: 1 });
    await pass(0);
    expect(server.handlers.abortWorkOrder).toHaveBeenCalledOnce();
  });

  it("A41 a double click on Cancel sends nothing when the abort is faster than its second press", async () => {
    server.joined = joinedWith(sampleTurn());
    await show();
    type("For later");
    fireEvent.click(button("Cancel"), { detail: 1 });
    await act(async () => {
      server.pushTurn(sampleTurn({ status: "aborted" }));
      await vi.advanceTimersByTimeAsync(50);
    });
    fireEvent.click(button("Send"), { detail: 2 });
    await pass(0);
    expect(submits()).toEqual([]);
    fireEvent.click(button("Send"), { detail: 1 });
    await pass(0);
    expect(submits()).toEqual(["For later"]);
  });

  it("A41 a click on Cancel that comes too late never sends what stands in the box", async () => {
    server.joined = joinedWith(sampleTurn());
    await show();
    type("For later");
    await pass(1_000);
    await act(async () => {
      server.pushTurn(sampleTurn({ status: "finished" }));
      await vi.advanceTimersByTimeAsync(50);
    });
    fireEvent.click(button("Send"));
    await pass(0);
    expect(submits()).toEqual([]);
    expect(screen.getByRole("status")).toHaveTextContent("The turn had just ended");
    fireEvent.click(button("Send"));
    await pass(0);
    expect(submits()).toEqual(["For later"]);
  });

  it("A41 what was typed after a turn's end is sent at once", async () => {
    server.joined = joinedWith(sampleTurn());
    await show();
    await act(async () => {
      server.pushTurn(sampleTurn({ status: "finished" }));
      await vi.advanceTimersByTimeAsync(50);
    });
    type("The next one");
    fireEvent.click(button("Send"));
    await pass(0);
    expect(submits()).toEqual(["The next one"]);
  });

  it("A41 shows Aborting... and after five seconds Force stop", async () => {
    server.joined = joinedWith(sampleTurn());
    await show();
    fireEvent.click(button("Cancel"));
    await pass(0);
    expect(button("Aborting...")).toBeDisabled();
    await pass(4_999);
    noButton("Force stop");
    await pass(1);
    fireEvent.click(button("Force stop"));
    await pass(0);
    expect(server.handlers.forceStop).toHaveBeenCalledWith({ turnId });
    expect(button("Send")).toBeInTheDocument();
  });

  it("A5 shows what the server says, also where another tab asked for the abort", async () => {
    const asked = new Date(Date.now() - 3_000).toISOString();
    server.joined = joinedWith(sampleTurn({ status: "aborting", abortRequestedAt: asked }));
    await show();
    expect(button("Aborting...")).toBeDisabled();
    await pass(2_000);
    expect(button("Force stop")).toBeEnabled();
  });

  it("brings Cancel back when the abort is refused, and says why", async () => {
    server.joined = joinedWith(sampleTurn());
    server.handlers.abortWorkOrder.mockReturnValue({ success: false, message: "Not now" });
    await show();
    fireEvent.click(button("Cancel"));
    await pass(0);
    expect(button("Cancel")).toBeEnabled();
    expect(screen.getByRole("status")).toHaveTextContent("Not now");
  });

  it("A4 many clicks are one abort", async () => {
    server.joined = joinedWith(sampleTurn());
    await show();
    const cancel = button("Cancel");
    for (let times = 0; times < 5; times += 1) {
      fireEvent.click(cancel);
    }
    await pass(0);
    expect(server.handlers.abortWorkOrder).toHaveBeenCalledOnce();
  });

  it("A41 offers Queue and Steer beside Cancel when there is text", async () => {
    server.joined = joinedWith(sampleTurn());
    await show();
    noButton("Queue");
    type("And then");
    fireEvent.click(button("Queue"));
    await pass(0);
    type("Rather this");
    fireEvent.click(button("Steer"));
    await pass(0);
    expect(server.handlers.sendMessage.mock.calls.map(([{ mode, text }]) => [mode, text])).toEqual([
      ["queue", "And then"],
      ["steer", "Rather this"],
    ]);
    expect(button("Cancel")).toBeInTheDocument();
    expect(box()).toHaveFocus();
  });

  it("queues on Enter and steers on Ctrl+Enter while a turn runs", async () => {
    server.joined = joinedWith(sampleTurn());
    await show();
    type("one");
    fireEvent.keyDown(box(), { key: "Enter" });
    type("two");
    fireEvent.keyDown(box(), { key: "Enter", ctrlKey: true });
    await pass(0);
    expect(server.handlers.sendMessage.mock.calls.map(([{ mode, text }]) => [mode, text])).toEqual([
      ["queue", "one"],
      ["steer", "two"],
    ]);
    expect(submits()).toEqual([]);
  });

  it("A41 the focus survives the swaps", async () => {
    await show();
    type("Hello");
    button("Send").focus();
    fireEvent.click(button("Send"));
    await pass(0);
    expect(box()).toHaveFocus();
    button("Cancel").focus();
    fireEvent.click(button("Cancel"));
    await pass(0);
    expect(button("Aborting...")).toBeDisabled();
    expect(box()).toHaveFocus();
  });

  it("Finish up asks for a graceful end and leaves Cancel where it is", async () => {
    server.joined = joinedWith(sampleTurn());
    await show();
    fireEvent.click(button("Finish up"));
    await pass(0);
    expect(server.handlers.finishWorkOrder).toHaveBeenCalledWith({ turnId });
    expect(button("Cancel")).toBeEnabled();
  });

  it("A6 aborts a prompt that was only just sent, once the server knows it", async () => {
    let resolve = (): void => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    server.handlers.submitPrompt.mockImplementation(async (prompt) => {
      await promise;
      return { turn: sampleTurn({ id: prompt.turnId, status: "queued" }) };
    });
    await show();
    type("Hello");
    fireEvent.click(button("Send"));
    await pass(0);
    fireEvent.click(button("Cancel"));
    await pass(0);
    expect(button("Aborting...")).toBeDisabled();
    expect(server.handlers.abortWorkOrder).not.toHaveBeenCalled();
    resolve();
    await pass(0);
    const sent = server.handlers.submitPrompt.mock.calls[0]?.[0].turnId;
    expect(server.handlers.abortWorkOrder).toHaveBeenCalledWith(sent);
  });

  it("sends what was typed before the session was there, as soon as it is", async () => {
    let open = (): void => {};
    server.handlers.joinSession.mockImplementationOnce(async () => {
      await new Promise<void>((resolve) => {
        open = resolve;
      });
      return joinedWith();
    });
    await show();
    type("Early");
    fireEvent.keyDown(box(), { key: "Enter" });
    await pass(0);
    expect(submits()).toEqual([]);
    open();
    await pass(0);
    expect(submits()).toEqual(["Early"]);
    expect(box()).toHaveValue("");
  });

  describe("the draft", () => {
    it("is kept while typing and found again", async () => {
      const { unmount } = await show();
      type("Half a thou");
      unmount();
      await show();
      expect(box()).toHaveValue("Half a thou");
    });

    it("is kept until the server acknowledges, and comes back when it refuses", async () => {
      server.handlers.submitPrompt.mockImplementation(() => {
        expect(readSending(sessionId)?.text).toBe("Precious");
        throw new RefusalError("busy");
      });
      await show();
      type("Precious");
      fireEvent.keyDown(box(), { key: "Enter" });
      await pass(0);
      expect(box()).toHaveValue("Precious");
      expect(readDraft(sessionId)).toBe("Precious");
      expect(screen.getByRole("status")).toHaveTextContent("A turn is running");
    });

    it("is forgotten once the server has it", async () => {
      await show();
      type("Hello");
      fireEvent.keyDown(box(), { key: "Enter" });
      await pass(0);
      expect(readDraft(sessionId)).toBe("");
      expect(readSending(sessionId)).toBeUndefined();
    });

    it("a silent server gets the same turn again, not a second one", async () => {
      server.handlers.submitPrompt.mockImplementationOnce(() => new Promise(() => {}));
      await show();
      type("Hello");
      fireEvent.keyDown(box(), { key: "Enter" });
      await pass(10_000);
      const ids = server.handlers.submitPrompt.mock.calls.map(([prompt]) => prompt.turnId);
      expect(ids).toHaveLength(2);
      expect(new Set(ids).size).toBe(1);
    });

    it("what was under way when the page was left stands in the box if it never arrived", async () => {
      writeSending(sessionId, { turnId: otherTurnId, text: "Lost on the way" });
      await show();
      expect(box()).toHaveValue("Lost on the way");
    });

    it("what did arrive does not come back", async () => {
      writeDraft(sessionId, "");
      writeSending(sessionId, { turnId, text: "Say hello" });
      server.joined = joinedWith(sampleTurn());
      await show();
      expect(box()).toHaveValue("");
    });
  });
});
