import { fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { joinedWith, otherTurnId, sampleTurn } from "../../test/samples.ts";
import { Timeline } from "./Timeline.tsx";

const shown: (string | null)[] = [];
const onClose = vi.fn<() => void>();

class StillResizeObserver {
  observe(): void {}
  disconnect(): void {}
}

beforeEach(async () => {
  vi.stubGlobal("ResizeObserver", StillResizeObserver);
  Element.prototype.scrollIntoView = function scrolled(this: Element) {
    shown.push(this.textContent);
  };
  shown.length = 0;
  const server = new FakeServer();
  server.joined = joinedWith(
    sampleTurn({ status: "finished", prompt: "A red fox" }),
    sampleTurn({ id: otherTurnId, status: "finished", prompt: "A blue fox" }),
  );
  await renderSession(server, <Timeline isFinding onCloseFind={onClose} />);
  await screen.findAllByText("A blue fox");
});

afterEach(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(Element.prototype, "scrollIntoView");
});

const box = () => screen.getByRole("textbox", { name: "Find in this session" });
const says = (text: string) => screen.findByText(text);

test("it counts, starts at the latest and goes round", async () => {
  fireEvent.change(box(), { target: { value: "FOX" } });
  await says("2");
  fireEvent.keyDown(box(), { key: "Enter" });
  await says("2 of 2");
  fireEvent.keyDown(box(), { key: "Enter" });
  await says("1 of 2");
  fireEvent.click(screen.getByRole("button", { name: "Next" }));
  await says("2 of 2");
  expect(shown).toEqual(["A blue fox", "A red fox", "A blue fox"]);
});

test("Esc closes it and arms no abort", () => {
  const escape = vi.fn<(event: KeyboardEvent) => void>();
  window.addEventListener("keydown", escape);
  fireEvent.keyDown(box(), { key: "Escape" });
  window.removeEventListener("keydown", escape);
  expect(onClose).toHaveBeenCalledOnce();
  expect(escape.mock.lastCall?.[0].defaultPrevented).toBe(true);
});
