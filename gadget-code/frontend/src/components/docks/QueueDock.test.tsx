import { MessageId } from "@gadget/api";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { joinedWith, sampleTurn, sessionId, turnId } from "../../test/samples.ts";
import { QueueDock } from "./QueueDock.tsx";

it("a steer says when it arrives, and can be sent at once by stopping the turn", async () => {
  const server = new FakeServer();
  const message = {
    id: MessageId.parse("message-1"),
    sessionId,
    turnId,
    mode: "steer" as const,
    text: "mention a dog",
    createdAt: "2026-01-02T03:04:05.000Z",
  };
  server.joined = { ...joinedWith(sampleTurn()), queue: [message] };
  await renderSession(server, <QueueDock />);
  expect(screen.getByText("reaches the agent after this step")).toBeInTheDocument();
  fireEvent.click(screen.getByRole("button", { name: "Stop and send" }));
  await waitFor(() => expect(server.handlers.abortWorkOrder).toHaveBeenCalled());
  const sent = () => server.request.mock.calls.filter(([name]) => name === "sendQueued");
  expect(sent()).toHaveLength(0);
  await act(async () => server.pushTurn(sampleTurn({ status: "aborted" })));
  await waitFor(() => expect(sent()).toHaveLength(1));
});

describe("a queue of three", () => {
  const messages = ["one", "two", "three"].map((text, at) => ({
    id: MessageId.parse(`message-${at + 1}`),
    sessionId,
    turnId,
    mode: "queue" as const,
    text,
    createdAt: "2026-01-02T03:04:05.000Z",
  }));
  const [first, second, third] = messages.map(({ id }) => id);

  const show = async (paused?: "aborted") => {
    const server = new FakeServer();
    server.request.mockResolvedValue({} as never);
    const queue = messages.map((message) => ({ ...message, ...(paused && { paused }) }));
    server.joined = { ...joinedWith(sampleTurn({ status: "aborted" })), queue };
    await renderSession(server, <QueueDock />);
    return server;
  };
  const press = (name: string, of: string) => {
    const row = screen.getByText(of).closest("li");
    fireEvent.click(within(row!).getByRole("button", { name }));
  };

  it("is put into another order by its arrows, which the ends lack", async () => {
    const server = await show();
    expect(screen.getAllByRole("button", { name: "Move up" })).toHaveLength(2);
    expect(screen.getAllByRole("button", { name: "Move down" })).toHaveLength(2);
    press("Move up", "two");
    press("Move down", "one");
    press("Move down", "two");
    await waitFor(() => expect(server.request).toHaveBeenCalledTimes(3));
    expect(server.request.mock.calls).toEqual([
      ["updateQueued", { params: { id: sessionId, messageId: second }, body: { before: first } }],
      ["updateQueued", { params: { id: sessionId, messageId: first }, body: { before: third } }],
      ["updateQueued", { params: { id: sessionId, messageId: second }, body: { before: null } }],
    ]);
  });

  it("that is paused says why, and is emptied by Clear", async () => {
    const server = await show("aborted");
    expect(screen.getByRole("heading", { name: "Queued, paused" })).toBeInTheDocument();
    expect(screen.getByText("Paused because you stopped")).toBeInTheDocument();
    fireEvent.click(screen.getByRole("button", { name: "Clear" }));
    expect(server.request).toHaveBeenCalledWith("clearQueue", { params: { id: sessionId } });
    await act(async () => server.push("queueChanged", { sessionId, queue: [] }));
    expect(screen.queryByRole("heading", { name: /Queued/ })).toBeNull();
  });
});
