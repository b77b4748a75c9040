import { type Drone, DroneId, RefusalError } from "@gadget/api";
import { screen } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { joinedWith, session } from "../../test/samples.ts";
import { SessionPlace } from "../header/SessionPlace.tsx";
import { NewProjectDialog } from "../projects/NewProjectDialog.tsx";
import { ChooseDroneDialog } from "./ChooseDroneDialog.tsx";

const drones = ["drone-aaaa", "drone-bbbb"].map(
  (id): Drone => ({
    id: DroneId.parse(id),
    name: "vm",
    status: "online",
    host: "vm",
    version: "1",
    labels: [],
    running: 0,
    capacity: 4,
    lastSeenAt: new Date().toISOString(),
    shared: false,
    mine: true,
  }),
);
const [first, second] = drones as [Drone, Drone];
const close = () => {};
let server: FakeServer;

beforeEach(() => {
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true;
  };
  server = new FakeServer();
  server.joined = { ...joinedWith(), session: { ...session, droneId: second.id } };
  server.request.mockImplementation(async (name) => {
    if (!name.startsWith("list")) {
      throw new RefusalError("not_found");
    }
    const items = name === "listDrones" ? drones : [];
    return { items, entries: [], parent: null, nextCursor: null } as never;
  });
});

const options = async () =>
  (await screen.findAllByRole("option", { hidden: true })).map((option) => option.textContent);

it("two drones of one host are told apart where a project's drone is chosen", async () => {
  await renderSession(server, <NewProjectDialog onClose={close} />);
  expect(await options()).toEqual(["vm (aaaa) · online", "vm (bbbb) · online"]);
});

it("the one that is left to choose keeps the name that tells it from the one there is", async () => {
  const dialog = (
    <ChooseDroneDialog projectId={session.projectId} droneId={first.id} onClose={close} />
  );
  await renderSession(server, dialog);
  expect(await options()).toEqual(["vm (bbbb) · online"]);
});

it("where there is no other one to choose, nobody is told that they have none", async () => {
  const alone = server.request.getMockImplementation();
  server.request.mockImplementation(async (name, options) =>
    name === "listDrones" ? ({ items: [first], nextCursor: null } as never) : alone!(name, options),
  );
  const dialog = (
    <ChooseDroneDialog projectId={session.projectId} droneId={first.id} onClose={close} />
  );
  await renderSession(server, dialog);
  expect(await screen.findByText("There is no other drone. Add one first.")).toBeInTheDocument();
});

it("a session's header says which of the two it works on", async () => {
  await renderSession(server, <SessionPlace />);
  expect(await screen.findByRole("link", { name: "vm (bbbb) online" })).toBeInTheDocument();
});
