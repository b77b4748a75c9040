import { type Drone, DroneId, type FoundFile, RefusalError } from "@gadget/api";
import { act, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { joinedWith, sampleTurn } from "../../test/samples.ts";
import { AbortKeys } from "./AbortKeys.tsx";
import { Composer } from "./Composer.tsx";

const box = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const list = () => screen.queryByRole("listbox", { name: "Files" });
const options = () => (list() === null ? [] : within(list() as HTMLElement).getAllByRole("option"));
const paths = () => options().map(({ textContent }) => textContent);
const drone: Drone = {
  id: DroneId.parse("drone-0001"),
  name: "workbench",
  status: "online",
  host: "workbench",
  version: "0.1.0",
  labels: [],
  running: 0,
  capacity: 4,
  lastSeenAt: "2026-01-02T03:04:05.000Z",
  shared: false,
  mine: true,
};
const file = (path: string): FoundFile => ({ path, kind: "file" });

async function pass(ms: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(ms));
}

/** The pause, the request, and its answer: React renders between them. */
async function answered(): Promise<void> {
  await pass(200);
  await pass(50);
  await pass(50);
}

function type(text: string): void {
  fireEvent.change(box(), { target: { value: text } });
}

const key = (name: string) => fireEvent.keyDown(box(), { key: name });

describe("a file that is named with @", () => {
  let server: FakeServer;
  let asked: string[];
  let answer: (q: string) => Promise<{ items: FoundFile[]; note?: string }>;

  beforeEach(async () => {
    vi.useFakeTimers();
    server = new FakeServer();
    server.joined = joinedWith(sampleTurn());
    asked = [];
    answer = async () => ({ items: [file("src/app.ts"), { path: "src/app", kind: "folder" }] });
    server.request.mockImplementation(async (name, options) => {
      if (name !== "findFiles") {
        throw new RefusalError("unavailable");
      }
      const { q } = (options as { query: { q: string } }).query;
      asked.push(q);
      return { nextCursor: null, ...(await answer(q)) } as never;
    });
    await renderSession(
      server,
      <>
        <AbortKeys />
        <Composer />
      </>,
    );
  });

  afterEach(() => vi.useRealTimers());

  it("is asked for once the typing rests, and chosen by keys", async () => {
    for (const text of ["see @", "see @a", "see @ap", "see @app"]) {
      type(text);
      await pass(50);
    }
    expect(asked).toEqual([]);
    await answered();
    expect(asked).toEqual(["app"]);
    expect(paths()).toEqual(["src/app.ts", "src/app"]);
    expect(box()).toHaveAttribute("aria-controls", list()?.id);
    expect(box()).toHaveAttribute("aria-activedescendant", options()[0]?.id);
    key("ArrowDown");
    expect(box()).toHaveAttribute("aria-activedescendant", options()[1]?.id);
    key("ArrowDown");
    key("Enter");
    expect(box()).toHaveValue("see @src/app.ts ");
    expect(list()).toBeNull();
    expect(server.handlers.sendMessage).not.toHaveBeenCalled();
  });

  it("leaves the mention open after a folder", async () => {
    type("@app");
    await answered();
    key("ArrowDown");
    key("Tab");
    expect(box()).toHaveValue("@src/app/");
    await answered();
    expect(asked.at(-1)).toBe("src/app/");
  });

  it("a late answer does not take the place of a newer one", async () => {
    let answerLate = (_: { items: FoundFile[] }): void => {};
    const late = new Promise<{ items: FoundFile[] }>((resolve) => {
      answerLate = resolve;
    });
    answer = async (q) => (q === "a" ? late : { items: [file("ab.ts")] });
    type("@a");
    await answered();
    expect(screen.getAllByText("Looking for files…")).not.toEqual([]);
    type("@ab");
    await answered();
    expect(paths()).toEqual(["ab.ts"]);
    answerLate({ items: [file("a.ts"), file("abc.ts")] });
    await answered();
    expect(paths()).toEqual(["ab.ts"]);
  });

  it("offers only what fits while the next answer is awaited", async () => {
    answer = async (q) =>
      q === "a" ? { items: [file("a.ts"), file("ab.ts")] } : new Promise(() => {});
    type("@a");
    await answered();
    expect(paths()).toEqual(["a.ts", "ab.ts"]);
    type("@ab");
    await answered();
    expect(paths()).toEqual(["ab.ts"]);
  });

  it("A40 Esc closes the list alone, and does not count for Esc Esc", async () => {
    type("@app");
    await answered();
    key("Escape");
    expect(list()).toBeNull();
    expect(screen.queryByText("Press Esc again to abort")).toBeNull();
    key("Escape");
    expect(screen.getByText("Press Esc again to abort")).toBeInTheDocument();
    await pass(100);
    expect(server.handlers.abortWorkOrder).not.toHaveBeenCalled();
    key("Escape");
    await pass(100);
    expect(server.handlers.abortWorkOrder).toHaveBeenCalledOnce();
  });

  it("A40 a list that was left behind does not take the Esc that is meant for the turn", async () => {
    type("@app");
    await answered();
    act(() => box().blur());
    expect(list()).toBeNull();
    fireEvent.keyDown(document.body, { key: "Escape" });
    expect(screen.getByText("Press Esc again to abort")).toBeInTheDocument();
  });

  it("says in words that nothing matches, and what was not looked at", async () => {
    answer = async () => ({ items: [], note: "Only the first names were looked at." });
    type("@nothing");
    await answered();
    const words = "No file matches. Only the first names were looked at.";
    expect(screen.getAllByText(words)).toHaveLength(2);
    key("Enter");
    await pass(0);
    expect(server.handlers.sendMessage).toHaveBeenCalledOnce();
  });

  it("says in words that the drone is away, and asks again when it is back", async () => {
    answer = async () => {
      throw new RefusalError("drone_offline");
    };
    type("@app");
    await answered();
    const words = `Files can't be looked for. ${new RefusalError("drone_offline").message}`;
    expect(screen.getAllByText(words)).toHaveLength(2);
    answer = async () => ({ items: [file("src/app.ts")] });
    server.push("droneChanged", { drone });
    await answered();
    expect(paths()).toEqual(["src/app.ts"]);
  });
});
