import { fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { beforeEach, expect, test } from "vitest";
import { inspectorWidth, readWidth } from "./pane-width.ts";
import { ResizeHandle } from "./ResizeHandle.tsx";

function Pane() {
  const [width, setWidth] = useState(() => readWidth(inspectorWidth));
  return (
    <ResizeHandle
      pane={inspectorWidth}
      label="Width"
      side="left"
      width={width}
      onChange={setWidth}
    />
  );
}

const shown = () => Number(screen.getByRole("separator").getAttribute("aria-valuenow"));

beforeEach(() => localStorage.clear());

test("arrow keys move the edge, and the width is there after a reload", () => {
  const { unmount } = render(<Pane />);
  fireEvent.keyDown(screen.getByRole("separator"), { key: "ArrowLeft" });
  expect(shown()).toBe(496);
  unmount();
  render(<Pane />);
  expect(shown()).toBe(496);
});

test("a width stays within its limits, and a double click puts the usual one back", () => {
  render(<Pane />);
  const handle = screen.getByRole("separator");
  for (let press = 0; press < 50; press += 1) {
    fireEvent.keyDown(handle, { key: "ArrowRight" });
  }
  expect(shown()).toBe(inspectorWidth.min);
  fireEvent.doubleClick(handle);
  expect(shown()).toBe(inspectorWidth.usual);
});

test("a stored width that is no width is not used", () => {
  localStorage.setItem("gadget.width.inspector", "wide");
  expect(readWidth(inspectorWidth)).toBe(inspectorWidth.usual);
});
