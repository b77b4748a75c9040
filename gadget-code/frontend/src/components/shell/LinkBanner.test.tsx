import { type Drone, DroneId } from "@gadget/api";
import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { joinedWith, sampleTurn } from "../../test/samples.ts";
import { DroneNotice } from "../docks/DroneNotice.tsx";
import { DroneDot, useDroneWord } from "../drones/DroneDot.tsx";
import { WorkingLine } from "../turn/WorkingLine.tsx";
import { LinkBanner } from "./LinkBanner.tsx";

const drone: Drone = {
  id: DroneId.parse("drone-0001"),
  name: "workbench",
  status: "online",
  host: "workbench",
  version: "1",
  labels: [],
  running: 0,
  capacity: 4,
  lastSeenAt: new Date().toISOString(),
  shared: false,
  mine: true,
};

function Word() {
  const word = useDroneWord();
  return (
    <p data-testid="drone">
      <DroneDot drone={drone} /> {word(drone)}
    </p>
  );
}

async function pass(ms: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(ms));
}

describe("a server that is gone", () => {
  let server: FakeServer;
  beforeEach(async () => {
    vi.useFakeTimers();
    vi.spyOn(Math, "random").mockReturnValue(0);
    server = new FakeServer();
    const turn = sampleTurn();
    server.joined = joinedWith(turn);
    const entry = { turn, transcript: server.joined.turns[0]?.transcript } as never;
    await renderSession(
      server,
      <>
        <LinkBanner />
        <DroneNotice />
        <WorkingLine entry={entry} />
        <Word />
      </>,
    );
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  /** Every try fails until the server is back. */
  function lose(): { tries: () => number; back: () => void } {
    const connect = vi.spyOn(server.socket, "connect").mockImplementation(() => {
      server.socket.fire("connect_error");
    });
    act(() => server.socket.disconnect());
    return { tries: () => connect.mock.calls.length, back: () => connect.mockRestore() };
  }

  it("is told of after two seconds, and nothing that is not known is said", async () => {
    lose();
    await pass(1_900);
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.getByTestId("drone")).toHaveTextContent("online");
    await pass(200);
    expect(screen.getByRole("alert")).toHaveTextContent("The connection to the server is lost.");
    expect(screen.getByTestId("drone")).toHaveTextContent("unknown");
    expect(screen.getByText(/Working, when the server was last heard/)).toBeInTheDocument();
    expect(screen.queryByText(/Running turns/)).toBeNull();
  });

  it("is tried again at growing intervals; the page says when", async () => {
    const { tries } = lose();
    await pass(200 + 400 + 800 + 1_500 + 2_500);
    expect(tries()).toBe(5);
    expect(screen.getByText("Trying again in 4 s")).toBeInTheDocument();
    await pass(2_000);
    expect(screen.getByText("Trying again in 2 s")).toBeInTheDocument();
    await pass(2_000);
    expect(tries()).toBe(6);
  });

  it("is tried at once on Now, and all is as before when it is back", async () => {
    const { tries, back } = lose();
    await pass(5_400);
    const before = tries();
    fireEvent.click(screen.getByRole("button", { name: "Now" }));
    expect(tries()).toBe(before + 1);
    back();
    fireEvent.click(screen.getByRole("button", { name: "Now" }));
    await pass(0);
    expect(server.client.link).toBe("live");
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.getByTestId("drone")).toHaveTextContent("online");
  });
});
