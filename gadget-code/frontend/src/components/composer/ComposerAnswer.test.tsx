import { QuestionId, RefusalError } from "@gadget/api";
import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { joinedWith, numbered, sampleTurn, turnId } from "../../test/samples.ts";
import { Docks } from "../docks/Docks.tsx";
import { Composer } from "./Composer.tsx";

const box = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const button = (name: string) => screen.getByRole("button", { name });

async function pass(ms: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(ms));
}

function type(text: string): void {
  fireEvent.change(box(), { target: { value: text } });
}

describe("the composer while a question is open", () => {
  let server: FakeServer;
  beforeEach(() => {
    vi.useFakeTimers();
    server = new FakeServer();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const questionId = QuestionId.parse("question-1");
  const open = async () => {
    server.joined = joinedWith(sampleTurn());
    await renderSession(
      server,
      <>
        <Docks />
        <Composer />
      </>,
    );
    const options = [{ label: "Tea" }, { label: "Coffee" }];
    const body = { type: "question:open", questionId, question: "Tea?", options } as const;
    await act(async () => {
      server.push("turnEvents", { turnId, events: numbered(1, body) });
      await vi.advanceTimersByTimeAsync(50);
    });
  };
  const answers = () => server.handlers.answerQuestion.mock.calls.map(([given]) => given.answer);

  it("answers it with Enter or the button Answer, and queues on the other key", async () => {
    await open();
    expect(button("Answer")).toBeDisabled();
    type("Cold mint");
    fireEvent.keyDown(box(), { key: "Enter", ctrlKey: true });
    await pass(0);
    expect(answers()).toEqual([]);
    expect(server.handlers.sendMessage.mock.calls[0]?.[0].mode).toBe("queue");
    type("Cold mint");
    fireEvent.keyDown(box(), { key: "Enter" });
    await pass(0);
    type("With ice");
    fireEvent.click(button("Answer"));
    await pass(0);
    expect(answers()).toEqual(["Cold mint", "With ice"]);
    expect(box()).toHaveValue("");
  });

  it("gives the text back where the answer came too late", async () => {
    server.handlers.answerQuestion.mockImplementation(() => {
      throw new RefusalError("closed");
    });
    await open();
    type("Too late");
    fireEvent.keyDown(box(), { key: "Enter" });
    await pass(0);
    expect(box()).toHaveValue("Too late");
  });

  it("takes a digit for the choice, unless something is being written", async () => {
    await open();
    type("2");
    fireEvent.keyDown(box(), { key: "2" });
    await pass(0);
    expect(answers()).toEqual([]);
    type("");
    fireEvent.keyDown(box(), { key: "2", ctrlKey: true });
    fireEvent.keyDown(box(), { key: "3" });
    fireEvent.keyDown(box(), { key: "2" });
    await pass(0);
    expect(answers()).toEqual(["Coffee"]);
  });
});
