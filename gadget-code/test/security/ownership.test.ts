import { ask, droneCommands, ideCommands, type Route } from "@gadget/api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPage } from "../page.ts";
import type { Person } from "../person.ts";
import { startServer, type TestServer } from "../server.ts";
import { type Belongings, giveBelongings } from "./belongings.ts";
import { routeSample, table } from "./route-samples.ts";
import { jsonSchemaOf, sampleOf } from "./samples.ts";

let server: TestServer;
let other: Person;
let things: Map<Person, Belongings>;
beforeAll(async () => {
  server = await startServer();
  other = await server.join("Sam");
  things = new Map();
  for (const person of [server.owner, server.member, other]) {
    things.set(person, await giveBelongings(server, person));
  }
});
afterAll(async () => {
  for (const { drone } of things.values()) {
    drone.close();
  }
  await server.stop();
});

function belongingsOf(person: Person): Belongings {
  const found = things.get(person);
  if (found === undefined) {
    throw new Error(`${person.user.name} has nothing`);
  }
  return found;
}

/** All that is stored of a person, to see that nobody else has changed it. */
async function storedOf({ user: { id } }: Person): Promise<string> {
  const { models } = server.database;
  const stored = await Promise.all([
    models.users.findById(id).lean(),
    models.projects.find({ owner: id }).lean(),
    models.sessions.find({ owner: id }).lean(),
    models.turns.find({ owner: id }).lean(),
    models.batches.find({ owner: id }).lean(),
    models.messages.find({ owner: id }).lean(),
    models.providers.find({ owner: id }).lean(),
    models.drones.find({ owner: id }, { lastSeenAt: 0 }).lean(),
    models.apiTokens.find({ owner: id }, { lastUsedAt: 0 }).lean(),
    models.logins.find({ userId: id }).lean(),
  ]);
  return JSON.stringify(stored);
}

/** Who tries: a member at the owner's, the owner at a member's, a member at another's. */
const pairs = (): [thief: Person, victim: Person][] => [
  [server.member, server.owner],
  [server.owner, server.member],
  [other, server.member],
];

/** An owner may change members: that route is theirs, not a hole. */
const isOwnersRight = (thief: Person, route: Route): boolean =>
  route.access === "owner" && thief.user.role === "owner";

const withIds = table.filter(([, { path }]) => path.includes(":"));
const withoutIds = table.filter(
  ([, { path, method, access }]) => !path.includes(":") && method === "GET" && access === "member",
);

describe("somebody else's", () => {
  it.each(withIds)("id is not found by %s", async (name, route) => {
    for (const [thief, victim] of pairs()) {
      if (isOwnersRight(thief, route)) {
        continue;
      }
      const before = await storedOf(victim);
      const sample = routeSample(route, belongingsOf(victim).ids);
      const response = await thief.send(name, sample);
      expect(response.status).toBe(route.access === "owner" ? 403 : 404);
      expect(await response.text()).not.toContain(victim.user.name);
      expect(await storedOf(victim)).toBe(before);
    }
  });

  it.each(withIds)(
    "id in the rest of %s is refused, with one's own in the path",
    async (name, route) => {
      if (route.method === "GET" || route.method === "DELETE") {
        return;
      }
      for (const [thief, victim] of pairs()) {
        if (isOwnersRight(thief, route)) {
          continue;
        }
        const own = routeSample(route, belongingsOf(thief).ids);
        const { body } = routeSample(route, belongingsOf(victim).ids);
        if (JSON.stringify(body) === JSON.stringify(own.body)) {
          continue;
        }
        const before = await storedOf(victim);
        const response = await thief.send(name, { ...own, body });
        expect([400, 403, 404, 409]).toContain(response.status);
        expect(await storedOf(victim)).toBe(before);
      }
    },
  );

  it("drone, provider or project does not go into a new thing", async () => {
    for (const [thief, victim] of pairs()) {
      const { droneId = "" } = belongingsOf(victim).ids;
      const response = await thief.send("createProject", { body: { name: "P", droneId } });
      expect(response.status).toBe(400);
    }
  });

  it.each(withoutIds)("things are not in the answer of %s", async (name) => {
    for (const [thief, victim] of pairs()) {
      const query = name === "search" ? { q: "plan" } : {};
      const text = await (await thief.send(name, { query })).text();
      const { members: _, ...ids } = belongingsOf(victim).ids;
      for (const id of Object.values(ids)) {
        expect(text).not.toContain(id);
      }
    }
  });
});

describe("somebody else's id in an event of the page", () => {
  it.each(Object.entries(ideCommands))("%s is not found", async (name, { args }) => {
    for (const [thief, victim] of pairs()) {
      const page = await openPage(server.url, thief);
      const heard: unknown[] = [];
      page.socket.onAny((...heardArgs: unknown[]) => heard.push(heardArgs));
      const before = await storedOf(victim);
      const { ids } = belongingsOf(victim);
      const sample = sampleOf(jsonSchemaOf(args), { ...ids, 0: ids["turnId"] ?? "" }) as never;
      const answer = await ask(
        page.socket,
        ideCommands,
        name as keyof typeof ideCommands,
        sample,
        5_000,
      ).catch((refusal: unknown) => refusal);
      const refusals: Partial<Record<string, object>> = {
        // Nobody learns anything from leaving a room that they are not in.
        leaveSession: {},
        abortWorkOrder: { success: false, message: "There is no such turn." },
      };
      expect(answer).toMatchObject(refusals[name] ?? { code: "not_found" });
      expect(await storedOf(victim)).toBe(before);
      await belongingsOf(victim).drone.send(ids["turnId"] as never, {
        type: "notice",
        level: "info",
        text: "secret",
      });
      expect(JSON.stringify(heard)).not.toContain("secret");
      page.close();
    }
  });
});

describe("a drone", () => {
  it.each(Object.entries(droneCommands))(
    "can't touch another's turn by %s",
    async (name, { args }) => {
      for (const [thief, victim] of pairs()) {
        const { ids } = belongingsOf(victim);
        const before = await storedOf(victim);
        const socket = belongingsOf(thief).drone.socket;
        const values = {
          ...ids,
          0: ids["turnId"] ?? "",
          running: ids["turnId"] ?? "",
          tails: ids["turnId"] ?? "",
        };
        for (const epoch of [0, 1, 2]) {
          const sample = JSON.parse(
            JSON.stringify(sampleOf(jsonSchemaOf(args), values)).replaceAll(
              /"epoch":\d+/g,
              `"epoch":${epoch}`,
            ),
          ) as never;
          if (name === "hello") {
            continue;
          }
          const answer = await ask(
            socket,
            droneCommands,
            name as keyof typeof droneCommands,
            sample,
            5_000,
          ).catch((refusal: unknown) => refusal);
          const harmless = {
            heartbeat: { abort: [], kill: [ids["turnId"]] },
            turnEvents: { lost: true },
            workOrderComplete: {},
            getHistory: { code: "not_found" },
          }[name];
          expect(answer).toMatchObject(harmless ?? {});
        }
        expect(await storedOf(victim)).toBe(before);
      }
    },
  );

  it("is told to kill what it says hello with and does not hold", async () => {
    for (const [thief, victim] of pairs()) {
      const { turnId } = belongingsOf(victim).ids;
      const before = await storedOf(victim);
      const { drone } = belongingsOf(thief);
      drone.close();
      const { turns } = await drone.connect([{ turnId: turnId as never, epoch: 1, lastSeq: 9 }]);
      expect(turns).toEqual([{ turnId, verdict: "kill", storedSeq: 0 }]);
      expect(await storedOf(victim)).toBe(before);
    }
  });
});

describe("Force stop", () => {
  it("of somebody else's turn finds nothing and changes nothing", async () => {
    for (const [thief, victim] of pairs()) {
      const before = await storedOf(victim);
      const refusal = await thief.refusal("cancelTurn", {
        params: { id: belongingsOf(victim).ids["turnId"] as never },
        query: { force: "true" },
      });
      expect(refusal?.code).toBe("not_found");
      expect(await storedOf(victim)).toBe(before);
    }
  });
});
