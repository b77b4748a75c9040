import { act, fireEvent, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { joinedWith, otherTurnId, sampleTurn, session } from "../../test/samples.ts";
import { Composer } from "../composer/Composer.tsx";
import { EmptyChat } from "./EmptyChat.tsx";
import { SuggestionRow } from "./SuggestionRow.tsx";

describe("the suggestions of an empty chat", () => {
  let server: FakeServer;

  beforeEach(() => {
    server = new FakeServer();
  });

  const wontStop = () => screen.findByRole("button", { name: /^Start something that won't stop/ });

  it("say that a command asks first, where it does", async () => {
    server.joined = { ...joinedWith(), session: { ...session, approval: "edits" } };
    await renderSession(server, <EmptyChat />);
    expect(await wontStop()).toHaveTextContent("It asks first: allow it, then press Esc twice");
  });

  it("say only how to stop it, where nothing asks", async () => {
    server.joined = { ...joinedWith(), session: { ...session, approval: "auto" } };
    await renderSession(server, <EmptyChat />);
    expect(await wontStop()).toHaveTextContent(/stopThen press Esc twice$/);
    expect(screen.getByText(/^Commands and edits run without asking\./)).toBeInTheDocument();
  });

  it("lead on into the composer", async () => {
    await renderSession(
      server,
      <>
        <EmptyChat />
        <Composer />
      </>,
    );
    fireEvent.click(await wontStop());
    expect(screen.getByRole("textbox", { name: "Message" })).toHaveFocus();
  });
});

describe("the suggestions of a chat that has begun", () => {
  let server: FakeServer;

  beforeEach(() => {
    server = new FakeServer();
  });

  const show = () =>
    renderSession(
      server,
      <>
        <SuggestionRow />
        <Composer />
      </>,
    );
  const row = () => screen.queryByRole("list", { name: "Suggestions" });
  const offered = () => screen.queryAllByRole("listitem").map((item) => item.textContent);
  const flush = () => new Promise((resolve) => void requestAnimationFrame(resolve));
  const story = sampleTurn({ prompt: "Tell me a long story", status: "finished" });

  it("are those that were not used; they go while a turn runs and come back at its end", async () => {
    server.joined = joinedWith({ ...story, status: "processing" });
    await show();
    expect(row()).toBeNull();
    await act(async () => {
      server.pushTurn(story);
      await flush();
    });
    expect(offered()).toEqual([
      "Explore this project",
      "Write a file",
      "Start something that won't stop",
    ]);
  });

  it("leave sight while somebody types, and come back when the composer is empty again", async () => {
    server.joined = joinedWith(story);
    await show();
    const box = screen.getByRole("textbox", { name: "Message" });
    fireEvent.change(box, { target: { value: "a" } });
    expect(row()).toHaveClass("invisible");
    fireEvent.change(box, { target: { value: "" } });
    expect(row()).not.toHaveClass("invisible");
  });

  it("leave alone who asks a real model for something of their own", async () => {
    const own = { ...session, model: "a-model" };
    const first = sampleTurn({ prompt: "Find something to tidy up", status: "finished" });
    server.joined = { ...joinedWith(first), session: own };
    const view = await show();
    expect(offered()).toHaveLength(3);
    view.unmount();
    server = new FakeServer();
    const second = sampleTurn({ id: otherTurnId, prompt: "Rename it", status: "finished" });
    server.joined = { ...joinedWith(first, second), session: own };
    await show();
    expect(row()).toBeNull();
  });
});
