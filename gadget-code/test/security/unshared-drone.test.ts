import {
  ask,
  type CommandHandlers,
  type DroneId,
  ideCommands,
  serverOrders as orders,
  type Route,
  type serverOrders,
} from "@gadget/api";
import { becomes } from "@gadget/testing/becomes";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPage } from "../page.ts";
import { connectDrone, type ScriptedDrone } from "../scripted-drone.ts";
import { startServer, type TestServer } from "../server.ts";
import type { Belongings } from "./belongings.ts";
import { routeSample, table } from "./route-samples.ts";
import { jsonSchemaOf, sampleOf } from "./samples.ts";

type OrderName = keyof CommandHandlers<typeof serverOrders>;

let server: TestServer;
let drone: ScriptedDrone;
let ids: Belongings["ids"];
/** The orders that reached the drone, by name. */
const heard: OrderName[] = [];
beforeAll(async () => {
  server = await startServer();
  drone = await connectDrone(server, server.owner, { orders: listening() });
  const params = { id: drone.id };
  await server.owner.ask("updateDrone", { params, body: { shared: true } });
  ids = await belongingsOn(drone.id);
});
afterAll(async () => {
  drone.close();
  await server.stop();
});

/** Answers as a drone would, and writes down what it was asked. */
function listening() {
  const names = Object.keys(orders) as OrderName[];
  const answers: Partial<Record<OrderName, unknown>> = {
    abortWorkOrder: { success: true, message: "Abort signaled" },
    listBackground: { commands: [] },
    listModels: { models: [] },
  };
  const handlers = names.map((name) => {
    const answer = answers[name] ?? sampleOf(jsonSchemaOf(orders[name].answer));
    return [name, () => (heard.push(name), answer)] as const;
  });
  const { processWorkOrder: _, ...rest } = Object.fromEntries(handlers);
  return rest;
}

async function belongingsOn(droneId: DroneId): Promise<Belongings["ids"]> {
  const { member } = server;
  const git = { name: "Git", droneId, gitUrl: "https://git.example/x.git" };
  const { project } = await member.ask("createProject", { body: git });
  const { session } = await member.ask("createSession", { params: { id: project.id } });
  const prompt = { params: { id: session.id }, body: { prompt: "hello" } };
  const { turn } = await member.ask("submitTurn", prompt);
  await drone.order(turn.id);
  const body = { text: "and then this", mode: "queue" } as const;
  const { message } = await member.ask("sendMessage", { params: { id: turn.id }, body });
  const { provider } = await member.ask("createProvider", {
    body: { name: "Own", kind: "ollama" },
  });
  return {
    projects: project.id,
    projectId: project.id,
    sessions: session.id,
    sessionId: session.id,
    turns: turn.id,
    turnId: turn.id,
    messageId: message.id,
    providers: provider.id,
    providerId: provider.id,
    drones: droneId,
    droneId,
  };
}

const reached: OrderName[] = [
  "answerApproval",
  "answerQuestion",
  "cancelTool",
  "cloneState",
  "deliverMessage",
  "describeWorkspace",
  "findFiles",
  "finishWorkOrder",
  "listBackground",
  "readWorkspace",
  "setApproval",
  "startClone",
  "turnDiff",
  "workspaceDiff",
];
/** What only ends something may go to a drone that is not one's own any more. */
const endings: OrderName[] = ["cancelClone", "abortWorkOrder", "killWorkOrder", "stopBackground"];
/** These end the drone, the account or the sample's own things, for which later ones look. */
const isLast = ({ method }: Route): number => (method === "DELETE" ? 1 : 0);
const routes = table
  .filter(
    ([name]) => !["setup", "login", "logout", "acceptInvitation", "enrollDrone"].includes(name),
  )
  .toSorted(([, a], [, b]) => isLast(a) - isLast(b));

/** Force stop would settle the turn that the others are about. */
const events = Object.entries(ideCommands).filter(([name]) => name !== "forceStop");

describe("a drone that is not shared any more", () => {
  it("was reached by these routes while it was shared", async () => {
    const kept = routes.filter(([, { method }]) => method !== "DELETE");
    for (const [name, route] of kept) {
      if (["cancelTurn", "updateProject", "undoTurn"].includes(name)) {
        continue;
      }
      await server.member.send(name, routeSample(route, ids));
    }
    expect([...new Set(heard)]).toEqual(expect.arrayContaining(reached));
  });

  it("loses what members run there, with a sentence for them and an entry for the owner", async () => {
    const { owner, member } = server;
    const params = { id: drone.id };
    await owner.ask("updateDrone", { params, body: { shared: false } });
    const { turn } = await member.ask("getTurn", { params: { id: ids["turnId"] as never } });
    expect(turn).toMatchObject({
      status: "aborting",
      abortedBy: { name: owner.user.name },
      errorMessage: expect.stringContaining("is not shared with you any more") as string,
    });
    expect(heard).toContain("abortWorkOrder");
    const { items } = await becomes(
      () => owner.ask("listAudit", { query: { limit: 100 } }),
      (log) => log.items.some(({ action }) => action === "drone unshared"),
    );
    const entry = items.find(({ action }) => action === "drone unshared");
    expect(entry?.detail).toBe("scripted: 1 turn and 0 background commands ended");
  });

  it.each(events)("is not reached by the event %s", async (name, { args }) => {
    heard.length = 0;
    const page = await openPage(server.url, server.member);
    const sample = sampleOf(jsonSchemaOf(args), { ...ids, 0: ids["turnId"] ?? "" }) as never;
    await ask(page.socket, ideCommands, name as keyof typeof ideCommands, sample, 5_000).catch(
      () => undefined,
    );
    expect(heard.filter((order) => !endings.includes(order))).toEqual([]);
    page.close();
  });

  it.each(routes)("is not reached by %s", async (name, route) => {
    heard.length = 0;
    const response = await server.member.send(name, routeSample(route, ids));
    expect(response.status).not.toBe(500);
    expect(heard.filter((order) => !endings.includes(order))).toEqual([]);
    expect(drone.received).toHaveLength(1);
  });
});
