import { type Drone, DroneId, type Project } from "@gadget/api";
import { screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { joinedWith, session } from "../../test/samples.ts";
import { NoDroneNotice } from "./NoDroneNotice.tsx";

const droneId = DroneId.parse("drone-0001");
const drone: Drone = {
  id: droneId,
  name: "workbench",
  status: "online",
  host: "workbench",
  version: "0.1.0",
  labels: [],
  running: 0,
  capacity: 4,
  lastSeenAt: new Date().toISOString(),
  shared: false,
  mine: true,
};
const project: Project = {
  id: session.projectId,
  name: "Plain",
  droneId: null,
  lostDrone: "old one",
  source: { kind: "empty" },
  environment: [],
  createdAt: new Date().toISOString(),
};

describe("a session whose project has no drone any more", () => {
  let server: FakeServer;

  beforeEach(() => {
    server = new FakeServer();
  });

  const answer = (drones: Drone[], shown: Project = project) =>
    server.request.mockImplementation(async (name) => {
      const answers: Partial<Record<string, object>> = {
        listDrones: { items: drones, nextCursor: null },
        getProject: { project: shown },
      };
      const found = answers[name];
      if (found === undefined) {
        throw new Error(`${name} is not expected`);
      }
      return found as never;
    });

  it("says that it was revoked, and offers another one", async () => {
    answer([drone]);
    server.joined = { ...joinedWith(), session: { ...session, droneId: null } };
    await renderSession(server, <NoDroneNotice />);
    const notice = await screen.findByText(/This project's drone was revoked/);
    expect(notice).toHaveTextContent("What you send waits until you choose another.");
    expect(screen.getByRole("button", { name: "Choose another" })).toBeEnabled();
  });

  it("says that it is not shared any more", async () => {
    answer([drone]);
    const gone = DroneId.parse("drone-0002");
    server.joined = { ...joinedWith(), session: { ...session, droneId: gone } };
    await renderSession(server, <NoDroneNotice />);
    expect(await screen.findByText(/is not shared with you any more/)).toBeVisible();
  });

  it("says nothing of a project that waits for its first drone, or has one", async () => {
    const { lostDrone: _, ...waiting } = project;
    answer([drone], waiting);
    server.joined = { ...joinedWith(), session: { ...session, droneId: null } };
    await renderSession(server, <NoDroneNotice />);
    await waitFor(() =>
      expect(server.request).toHaveBeenCalledWith("getProject", expect.anything()),
    );
    expect(screen.queryByText("Choose another")).toBeNull();
  });
});
