import { type BackgroundCommand, CommandId, RefusalError } from "@gadget/api";
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { useLiveWorkspace } from "../../session/use-live-workspace.ts";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { joinedWith, numbered, sampleTurn, sessionId, turnId } from "../../test/samples.ts";
import { CommandsDock } from "./CommandsDock.tsx";

const running: BackgroundCommand = {
  id: CommandId.parse("command-1"),
  sessionId,
  turnId,
  command: "npm run dev",
  startedAt: new Date().toISOString(),
};

function Shown() {
  useLiveWorkspace();
  return <CommandsDock />;
}

/** A drone with these commands, and how often it was asked for them. */
function serverWith(commands: BackgroundCommand[], isAway = () => false) {
  const server = new FakeServer();
  const asked: string[] = [];
  server.request.mockImplementation(async (name) => {
    asked.push(name);
    if (isAway()) {
      throw new RefusalError("drone_offline");
    }
    const stopped = { afterMs: 41, processes: 2, left: 0 };
    return (name === "stopCommand" ? { stopped } : { items: commands, nextCursor: null }) as never;
  });
  return { server, asked };
}

test("a session without a turn has no commands, and nobody is asked", async () => {
  const { server, asked } = serverWith([running]);
  await renderSession(server, <Shown />);
  expect(screen.queryByRole("region")).toBeNull();
  expect(asked).toEqual([]);
});

test("the drone is asked again when a call has started a command, and when the turn settles", async () => {
  const commands: BackgroundCommand[] = [];
  const { server, asked } = serverWith(commands);
  server.joined = joinedWith(sampleTurn());
  await renderSession(server, <Shown />);
  await waitFor(() => expect(asked).toEqual(["listCommands"]));
  commands.push(running);
  const call = { callId: "call-1" as never, name: "shell" };
  const input = { command: running.command, background: true };
  const events = numbered(
    1,
    { type: "tool:start", ...call },
    { type: "tool:end", ...call, outcome: "finished", input, text: "Started." },
  );
  act(() => server.push("turnEvents", { turnId, epoch: 1, events }));
  expect(await screen.findByText("npm run dev")).toBeTruthy();
  expect(asked).toEqual(["listCommands", "listCommands"]);
  commands.pop();
  act(() => server.pushTurn(sampleTurn({ status: "finished" })));
  await waitFor(() => expect(screen.queryByText("npm run dev")).toBeNull());
});

test("a drone that is away leaves the list with a word, and Stop says why it can't", async () => {
  let isAway = false;
  const { server } = serverWith([running], () => isAway);
  server.joined = joinedWith(sampleTurn({ status: "finished" }));
  await renderSession(server, <Shown />);
  await screen.findByText("npm run dev");
  isAway = true;
  fireEvent.click(screen.getByRole("button", { name: "Stop" }));
  expect(await screen.findByText(/The drone is not connected/)).toBeTruthy();
  expect(await screen.findByText(/when the drone last answered/)).toBeTruthy();
  expect(screen.getByText("npm run dev")).toBeTruthy();
});
