import { tmpdir } from "node:os";
import { ask, ideCommands, MessageId, newId, RefusalError, SessionId, TurnId } from "@gadget/api";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type App, buildApp } from "../../src/app.ts";
import { type Broker, openBroker } from "../../src/lib/broker.ts";
import { openPage, type Page } from "../page.ts";
import { sendRoute } from "../person.ts";
import { startServer, type TestServer } from "../server.ts";
import { Redis, redisServer } from "./redis.ts";

const limits = { prompt: { points: 4, seconds: 600 }, signIn: { points: 4, seconds: 600 } };
const log = pino({ level: "silent" });
let redis: Redis;
let brokers: Broker[];
let one: TestServer;
let two: App;
let twoUrl: string;
let pages: Page[] = [];

/** Two nodes on one database and one Redis, with the same limits. */
beforeAll(async () => {
  if (redisServer === undefined) {
    return;
  }
  redis = await Redis.start();
  brokers = await Promise.all([openBroker(redis.url, log), openBroker(redis.url, log)]);
  one = await startServer({ limits, broker: brokers[0] });
  const { config, database, secret } = one;
  const parts = { config, database, secret, log, version: "0.0.0-test", page: tmpdir() };
  two = buildApp({ ...parts, limits, broker: brokers[1] });
  twoUrl = await two.listen();
});

afterAll(async () => {
  if (redisServer === undefined) {
    return;
  }
  for (const page of pages) {
    page.close();
  }
  await two.close();
  await one.stop();
  await Promise.all(brokers.map((broker) => broker.close()));
  await redis.down();
});

const nowhere = newId(SessionId);

/** What a prompt to a session that is not there is answered: `not_found` until it is too many. */
async function prompt({ socket }: Page): Promise<RefusalError> {
  const order = { sessionId: nowhere, turnId: newId(TurnId), prompt: "hello" };
  return refusal(ask(socket, ideCommands, "submitPrompt", [order], 10_000));
}

async function message({ socket }: Page): Promise<RefusalError> {
  const sent = { turnId: newId(TurnId), messageId: newId(MessageId), text: "hm" };
  return refusal(ask(socket, ideCommands, "sendMessage", [{ ...sent, mode: "queue" }], 10_000));
}

async function refusal(asked: Promise<unknown>): Promise<RefusalError> {
  const answer: unknown = await asked.catch((error: unknown) => error);
  if (answer instanceof RefusalError) {
    return answer;
  }
  throw new Error("It was not refused.");
}

const login = (url: string) =>
  sendRoute(url, "login", { body: { email: "guess@example.com", password: "not this one" } });

describe.skipIf(redisServer === undefined)("two nodes", () => {
  it("count a person's prompts and messages together, over sockets and REST", async () => {
    const { member, owner } = one;
    const [here, there] = await Promise.all([openPage(one.url, member), openPage(twoUrl, member)]);
    pages = [here, there];
    expect((await prompt(here)).code).toBe("not_found");
    expect((await message(there)).code).toBe("not_found");
    const params = { id: nowhere };
    expect((await member.refusal("submitTurn", { params, body: { prompt: "hi" } }))?.code).toBe(
      "not_found",
    );
    expect((await prompt(there)).code).toBe("not_found");
    for (const refused of [await prompt(here), await message(there), await prompt(there)]) {
      expect(refused.code).toBe("rate_limited");
      expect(refused.details?.["retryAfterSeconds"]).toBeGreaterThan(500);
    }
    const overRest = await member.send("submitTurn", { params, body: { prompt: "hi" } });
    expect(overRest.status).toBe(429);
    expect(Number(overRest.headers.get("retry-after"))).toBeGreaterThan(500);
    const other = await openPage(twoUrl, owner);
    pages.push(other);
    expect((await prompt(other)).code).toBe("not_found");
  });

  it("count tries to sign in together; each by itself while Redis is away", async () => {
    const statuses: number[] = [];
    for (const url of [one.url, twoUrl, one.url, twoUrl, one.url, twoUrl]) {
      statuses.push((await login(url)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 429, 429]);
    await redis.down();
    const alone: number[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      alone.push((await login(twoUrl)).status);
    }
    expect(alone).toEqual([401, 401, 401, 401, 429, 429]);
    expect((await login(one.url)).status).toBe(401);
  });
});
