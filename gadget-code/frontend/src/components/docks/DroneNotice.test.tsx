import { type Drone, DroneId } from "@gadget/api";
import { screen } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { joinedWith, sampleTurn, session } from "../../test/samples.ts";
import { DroneNotice } from "./DroneNotice.tsx";

const droneId = DroneId.parse("drone-0001");
const drone: Drone = {
  id: droneId,
  name: "workbench",
  status: "offline",
  host: "workbench",
  version: "0.1.0",
  labels: [],
  running: 1,
  capacity: 4,
  lastSeenAt: new Date(Date.now() - 120_000).toISOString(),
  graceEndsAt: new Date(2026, 0, 2, 14, 5).toISOString(),
  shared: false,
  mine: true,
};

describe("a drone that is not heard", () => {
  let server: FakeServer;

  beforeEach(() => {
    server = new FakeServer();
  });

  const answer = (shown: Drone) =>
    server.request.mockImplementation(async (name) => {
      if (name !== "listDrones") {
        throw new Error(`${name} is not expected`);
      }
      return { items: [shown], nextCursor: null } as never;
    });

  it("is told of, and until when its turn can go on", async () => {
    answer(drone);
    server.joined = joinedWith(sampleTurn({ droneId }));
    await renderSession(server, <DroneNotice />);
    const notice = await screen.findByRole("status");
    expect(notice).toHaveTextContent("workbench can't be reached, last seen 2 minutes ago.");
    expect(notice).toHaveTextContent(
      /goes on when it is back by .*14:05, or ends as interrupted\./,
    );
  });

  it("says until when at the latest an abort waits for it", async () => {
    answer(drone);
    server.joined = joinedWith(sampleTurn({ droneId, status: "aborting" }));
    await renderSession(server, <DroneNotice />);
    expect(await screen.findByRole("status")).toHaveTextContent(
      /The turn stops when it is back, at the latest at .*14:05\./,
    );
  });

  it("keeps what is sent waiting, where nothing runs", async () => {
    answer(drone);
    server.joined = { ...joinedWith(), session: { ...session, droneId } };
    await renderSession(server, <DroneNotice />);
    expect(await screen.findByRole("status")).toHaveTextContent(
      "What you send waits until it is back.",
    );
  });

  it("is nothing to tell of while it is heard", async () => {
    answer({ ...drone, status: "busy" });
    server.joined = joinedWith(sampleTurn({ droneId }));
    await renderSession(server, <DroneNotice />);
    expect(screen.queryByText(/can't be reached/)).toBeNull();
  });
});
