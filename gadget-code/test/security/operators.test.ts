import { ask, droneCommands, ideCommands, RefusalError } from "@gadget/api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPage, type Page } from "../page.ts";
import { startServer, type TestServer } from "../server.ts";
import { type Belongings, giveBelongings } from "./belongings.ts";
import { rawRequest } from "./raw-request.ts";
import { routeSample, samplePath, table, unsafe } from "./route-samples.ts";
import { attacksOn, jsonSchemaOf, operators } from "./samples.ts";

let server: TestServer;
let mine: Belongings;
let page: Page;
beforeAll(async () => {
  server = await startServer({
    limits: {
      code: { points: 10_000, seconds: 60 },
      enroll: { points: 10_000, seconds: 60 },
      signInByAddress: { points: 10_000, seconds: 60 },
    },
  });
  mine = await giveBelongings(server, server.owner);
  page = await openPage(server.url, server.owner);
});
afterAll(async () => {
  page.close();
  mine.drone.close();
  await server.stop();
});

/** Some at a time: there are many. */
async function all<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>) {
  const rest = [...items];
  const lane = async (): Promise<void> => {
    for (let item = rest.pop(); item !== undefined; item = rest.pop()) {
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
}

const notValid: unknown = expect.stringMatching(/^Not valid/);

describe("operators and polluted prototypes", () => {
  it.each(unsafe)("in every field of the body of %s are refused", async (_, route) => {
    const path = samplePath(route, mine.ids);
    await all(attacksOn(jsonSchemaOf(route.body), mine.ids), async ({ field, value }) => {
      const { status, body } = await rawRequest(server.url, {
        method: route.method,
        path,
        headers: {
          authorization: `Bearer ${server.owner.token}`,
          "content-type": "application/json",
        },
        body: JSON.stringify(value),
      });
      expect([status, body], field).toEqual([400, expect.stringContaining('"invalid"')]);
    });
  });

  it.each(table)("in the query of %s are refused", async (name, route) => {
    const fields = ["limit", "cursor", ...Object.keys(jsonSchemaOf(route.query).properties ?? {})];
    const { params, body } = routeSample(route, mine.ids);
    for (const field of new Set(fields)) {
      for (const key of [`${field}[$ne]`, `${field}[$regex]`, `${field}[$where]`, "__proto__[x]"]) {
        const response = await server.owner.send(name, { params, body, query: { [key]: "1" } });
        expect(response.status, key).toBe(400);
      }
      const path = `${samplePath(route, mine.ids)}?${field}=1&${field}=2`;
      const { status } = await rawRequest(server.url, {
        method: route.method,
        path,
        headers: { authorization: `Bearer ${server.owner.token}` },
      });
      expect(status, `${field} twice`).toBe(400);
    }
  });

  it.each(table.filter(([, { path }]) => path.includes(":")))(
    "in the path of %s are refused",
    async (name, route) => {
      const sample = routeSample(route, mine.ids);
      for (const param of Object.keys(sample.params)) {
        for (const operator of operators) {
          const params = { ...sample.params, [param]: JSON.stringify(operator) };
          const { status } = await server.owner.send(name, { ...sample, params });
          // A call's id is the model's own and may be any text: it is not found.
          expect(param === "callId" ? [409, 503] : [400]).toContain(status);
        }
      }
    },
  );

  it.each(Object.entries(ideCommands))(
    "in every field of %s are refused",
    async (name, { args }) => {
      await all(attacksOn(jsonSchemaOf(args), mine.ids), async ({ field, value }) => {
        const given = Array.isArray(value) ? value : [value];
        const answer = await ask(
          page.socket,
          ideCommands,
          name as keyof typeof ideCommands,
          given as never,
          5_000,
        ).catch((refusal: unknown) => refusal);
        expect(Object(answer), field).toMatchObject(
          name === "abortWorkOrder" ? { success: false, message: notValid } : { code: "invalid" },
        );
      });
    },
  );

  it.each(Object.entries(droneCommands))(
    "in every field of %s are refused",
    async (name, { args }) => {
      await all(attacksOn(jsonSchemaOf(args), mine.ids), async ({ field, value }) => {
        const given = Array.isArray(value) ? value : [value];
        const answer = await ask(
          mine.drone.socket,
          droneCommands,
          name as keyof typeof droneCommands,
          given as never,
          5_000,
        ).catch((refusal: unknown) => refusal);
        expect(answer, field).toBeInstanceOf(RefusalError);
        expect(answer, field).toMatchObject({ code: "invalid" });
      });
    },
  );
});

describe("a tool's arguments", () => {
  it("are data: operators and prototypes in them do nothing", async () => {
    const { drone, ids } = mine;
    const turnId = drone.received.find((order) => order.turnId === ids["turnId"])?.turnId;
    if (turnId === undefined) {
      throw new Error("the drone holds no turn");
    }
    const input: unknown = JSON.parse(
      '{"__proto__":{"isAdmin":true},"$where":"sleep(1)","a.b":{"$set":{"x":1}}}',
    );
    const call = { callId: "c1" as never, name: "write_file" };
    await drone.send(turnId, { type: "tool:start", ...call });
    await drone.send(turnId, { type: "tool:end", ...call, outcome: "finished", input, text: "ok" });
    const { items } = await server.owner.ask("listEvents", { params: { id: turnId } });
    const end = items.find(({ type }) => type === "tool:end");
    expect(end).toMatchObject({ input: { $where: "sleep(1)", "a.b": { $set: { x: 1 } } } });
    expect(Reflect.get({}, "isAdmin")).toBeUndefined();
  });
});
