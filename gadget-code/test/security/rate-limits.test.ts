import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sendRoute } from "../person.ts";
import { password, startServer, type TestServer } from "../server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    limits: {
      prompt: { points: 3, seconds: 60 },
      enroll: { points: 5, seconds: 60 },
      code: { points: 5, seconds: 60 },
    },
  });
});
afterAll(() => server.stop());

const login = (email: string, given: string) =>
  sendRoute(server.url, "login", { body: { email, password: given } });

/** Many at once, as a guessing program would. */
async function statuses(count: number, send: () => Promise<Response>): Promise<number[]> {
  const responses: Response[] = [];
  const lane = async (): Promise<void> => {
    while (count > 0) {
      count -= 1;
      responses.push(await send());
    }
  };
  await Promise.all(Array.from({ length: 20 }, lane));
  for (const response of responses.filter(({ status }) => status === 429)) {
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  return responses.map(({ status }) => status);
}

describe("guessing", () => {
  it("takes as long for an unknown person as for a wrong password", async () => {
    const took = { known: [] as number[], unknown: [] as number[] };
    for (let round = 0; round < 4; round += 1) {
      for (const who of ["known", "unknown"] as const) {
        const email = who === "known" ? server.member.user.email : `nobody${round}@example.com`;
        const start = performance.now();
        expect((await login(email, "a wrong password")).status).toBe(401);
        took[who].push(performance.now() - start);
      }
    }
    expect(Math.min(...took.unknown)).toBeGreaterThan(Math.min(...took.known) / 2);
  });

  it("of a password ends after ten tries, and the right one is refused then too", async () => {
    const { email } = server.owner.user;
    expect((await login(email, password)).status).toBe(200);
    const answered = await statuses(1_000, () => login(email, "a wrong password"));
    expect(answered.filter((status) => status === 401)).toHaveLength(10);
    expect(answered.filter((status) => status === 429)).toHaveLength(990);
    const refused = await login(email, password);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({
      error: { code: "rate_limited", message: expect.stringContaining("Wait") as string },
    });
  });

  it("of accounts from one address ends too", async () => {
    let turn = 0;
    const answered = await statuses(60, () => login(`guess${(turn += 1)}@example.com`, password));
    expect(answered.filter((status) => status === 429).length).toBeGreaterThan(10);
  });

  it.each(["enrollDrone", "setup", "acceptInvitation"] as const)(
    "of codes ends: %s",
    async (name) => {
      const bodies = {
        enrollDrone: { code: "a-guessed-code", name: "d", host: "h" },
        setup: { code: "a-guessed-code", email: "a@example.com", name: "A", password },
        acceptInvitation: { code: "a-guessed-code", name: "A", password },
      };
      const answered = await statuses(12, () =>
        sendRoute(server.url, name, { body: bodies[name] }),
      );
      expect(answered.filter((status) => status === 429).length).toBeGreaterThanOrEqual(7);
      expect(answered.every((status) => status >= 400)).toBe(true);
    },
  );
});

describe("prompts", () => {
  it("are limited for each person by themselves", async () => {
    const params = { id: "no-such-session" };
    const prompt = () => server.member.send("submitTurn", { params, body: { prompt: "hello" } });
    const answered = await statuses(5, prompt);
    expect(answered.filter((status) => status === 429)).toHaveLength(2);
    const other = await server.owner.send("submitTurn", { params, body: { prompt: "hello" } });
    expect(other.status).toBe(404);
  });
});
