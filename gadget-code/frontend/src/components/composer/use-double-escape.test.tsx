import { act, fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { flushSync } from "react-dom";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { toastStore } from "../../lib/toast.ts";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { joinedWith, otherTurnId, sampleTurn, turnId } from "../../test/samples.ts";
import { AbortKeys } from "./AbortKeys.tsx";
import { EscapeHint } from "./EscapeHint.tsx";
import { useDoubleEscape } from "./use-double-escape.ts";

const armed = "Press Esc again to abort";

function escape(target: Window | Element = window, init: KeyboardEventInit = {}): void {
  fireEvent.keyDown(target, { key: "Escape", ...init });
}

async function pass(ms: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(ms));
}

const hinted = (
  <>
    <AbortKeys />
    <EscapeHint />
  </>
);

describe("double Esc", () => {
  let server: FakeServer;

  beforeEach(() => {
    vi.useFakeTimers();
    server = new FakeServer();
    server.joined = joinedWith(sampleTurn());
  });

  afterEach(() => {
    toastStore.setState({ toasts: [] });
    vi.useRealTimers();
  });

  const aborts = () => server.handlers.abortWorkOrder.mock.calls;

  it("A40 arms with a hint of role status and aborts the turn on the second press", async () => {
    await renderSession(server, hinted);
    escape();
    expect(screen.getByRole("status")).toHaveTextContent(armed);
    expect(aborts()).toHaveLength(0);
    await pass(2_900);
    escape();
    await pass(0);
    expect(aborts()).toEqual([[turnId]]);
    expect(screen.getByRole("status")).toHaveTextContent("Aborting Agentic Workflow Loop...");
  });

  it("A40 forgets the first press after three seconds, with its hint", async () => {
    await renderSession(server, hinted);
    escape();
    await pass(3_000);
    expect(screen.queryByText(armed)).toBeNull();
    escape();
    await pass(0);
    expect(aborts()).toHaveLength(0);
    expect(screen.getByRole("status")).toHaveTextContent(armed);
  });

  it("A40 ignores the repeats of a key that is held down", async () => {
    await renderSession(server, <AbortKeys />);
    escape();
    for (let times = 0; times < 20; times += 1) {
      escape(window, { repeat: true });
    }
    await pass(0);
    expect(aborts()).toHaveLength(0);
  });

  it("A40 ignores Esc during an IME composition, also Safari's late one", async () => {
    await renderSession(server, <AbortKeys />);
    escape(window, { isComposing: true });
    fireEvent.keyDown(window, { key: "Escape", keyCode: 229 });
    expect(screen.queryByText(armed)).toBeNull();
  });

  it.each([
    ["a dialog", <dialog key="d" open data-testid="overlay" />],
    ["a menu", <div key="m" role="menu" data-testid="overlay" />],
    ["the code editor", <div key="e" className="cm-editor" data-testid="overlay" />],
    ["the terminal", <div key="t" className="xterm" data-testid="overlay" />],
  ])("A40 leaves Esc to %s", async (_, overlay) => {
    await renderSession(
      server,
      <>
        <AbortKeys />
        {overlay}
      </>,
    );
    escape(screen.getByTestId("overlay"));
    expect(screen.queryByText(armed)).toBeNull();
  });

  it("A40 does not arm when the dialog closes itself on the same press", async () => {
    function Closing() {
      const [isOpen, setOpen] = useState(true);
      return isOpen ? (
        <dialog open data-testid="overlay" onKeyDown={() => flushSync(() => setOpen(false))} />
      ) : null;
    }
    await renderSession(
      server,
      <>
        <AbortKeys />
        <Closing />
      </>,
    );
    escape(screen.getByTestId("overlay"));
    expect(screen.queryByTestId("overlay")).toBeNull();
    expect(screen.queryByText(armed)).toBeNull();
  });

  it("A40 does not count a press that something else has used", async () => {
    await renderSession(
      server,
      <>
        <AbortKeys />
        <input aria-label="Find" onKeyDown={(event) => event.preventDefault()} />
      </>,
    );
    escape(screen.getByLabelText("Find"));
    expect(screen.queryByText(armed)).toBeNull();
  });

  it("A40 listens only while a turn runs", async () => {
    server.joined = joinedWith(sampleTurn({ status: "finished" }));
    const added = vi.spyOn(window, "addEventListener");
    const keydowns = () => added.mock.calls.filter(([type]) => type === "keydown").length;
    await renderSession(server, <AbortKeys />);
    expect(keydowns()).toBe(0);
    await act(async () => {
      server.pushTurn(sampleTurn({ id: otherTurnId, createdAt: "2026-01-02T03:05:00.000Z" }));
      await vi.advanceTimersByTimeAsync(50);
    });
    expect(keydowns()).toBeGreaterThan(0);
    const removed = vi.spyOn(window, "removeEventListener");
    await act(async () => {
      server.pushTurn(sampleTurn({ id: otherTurnId, status: "finished" }));
      await vi.advanceTimersByTimeAsync(50);
    });
    expect(removed.mock.calls.some(([type]) => type === "keydown")).toBe(true);
    escape();
    expect(screen.queryByText(armed)).toBeNull();
  });

  it("A3 a press that armed for one turn never ends the next", () => {
    const onAbort = vi.fn<() => void>();
    const onDisarm = vi.fn<() => void>();
    function Keys({ turn }: { turn: string }) {
      useDoubleEscape({ turnId: turn, onArm: () => {}, onDisarm, onAbort });
      return null;
    }
    const { rerender } = render(<Keys turn="first" />);
    escape();
    rerender(<Keys turn="second" />);
    expect(onDisarm).toHaveBeenCalledOnce();
    escape();
    expect(onAbort).not.toHaveBeenCalled();
  });
});
