import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useFollowScroll } from "./use-follow-scroll.ts";

/** jsdom lays nothing out: the heights and what watches them are the test's. */
let grow = (): void => {};
let height = 1_000;

class HandResizeObserver {
  constructor(callback: () => void) {
    grow = callback;
  }
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

function Scroller() {
  const { box, content, isFollowing, jumpToLatest } = useFollowScroll();
  return (
    <>
      <div ref={box} data-testid="box">
        <div ref={content} />
      </div>
      <p>{isFollowing ? "FOLLOW" : "FREE"}</p>
      <button type="button" onClick={jumpToLatest}>
        Jump to latest
      </button>
    </>
  );
}

describe("following the end", () => {
  const box = () => screen.getByTestId("box");
  const moreComes = (by: number) =>
    act(() => {
      height += by;
      grow();
    });

  beforeEach(() => {
    height = 1_000;
    vi.stubGlobal("ResizeObserver", HandResizeObserver);
    vi.spyOn(Element.prototype, "scrollHeight", "get").mockImplementation(() => height);
    vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(400);
    render(<Scroller />);
  });

  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  it("keeps the end in sight as it grows", () => {
    moreComes(500);
    expect(box().scrollTop).toBe(1_500);
    expect(screen.getByText("FOLLOW")).toBeInTheDocument();
  });

  it("never moves for somebody who scrolled up, however much comes", () => {
    fireEvent.wheel(box(), { deltaY: -100 });
    box().scrollTop = 200;
    fireEvent.scroll(box());
    expect(screen.getByText("FREE")).toBeInTheDocument();
    moreComes(5_000);
    expect(box().scrollTop).toBe(200);
  });

  it("is not left because the content shrank or the browser scrolled", () => {
    box().scrollTop = 300;
    fireEvent.scroll(box());
    expect(screen.getByText("FOLLOW")).toBeInTheDocument();
    moreComes(10);
    expect(box().scrollTop).toBe(1_010);
  });

  it("is left by the keys that go up", () => {
    fireEvent.keyDown(box(), { key: "PageUp" });
    expect(screen.getByText("FREE")).toBeInTheDocument();
  });

  it("comes back at the end, and by the pill", () => {
    fireEvent.wheel(box(), { deltaY: -100 });
    box().scrollTop = 100;
    fireEvent.scroll(box());
    box().scrollTop = 600;
    fireEvent.scroll(box());
    expect(screen.getByText("FOLLOW")).toBeInTheDocument();
    fireEvent.wheel(box(), { deltaY: -100 });
    box().scrollTop = 100;
    fireEvent.scroll(box());
    fireEvent.click(screen.getByRole("button", { name: "Jump to latest" }));
    expect(box().scrollTop).toBe(1_000);
    expect(screen.getByText("FOLLOW")).toBeInTheDocument();
  });
});
