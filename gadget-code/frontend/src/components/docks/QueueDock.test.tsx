import { MessageId } from "@gadget/api";
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
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
