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

describe("guessing at one account from many addresses", () => {
  it("is slowed down, and locks out neither known browsers nor who is signed in", async () => {
    const env = { GADGET_PUBLIC_URL: "https://gadget.example" };
    const limits = { signInByAccount: { points: 20, seconds: 3_600 } };
    const guessed = await startServer({ env, limits });
    const { email } = guessed.owner.user;
    const login = (given: string, from: string, cookie = "") =>
      sendRoute(guessed.address, "login", {
        body: { email, password: given },
        headers: { "x-forwarded-for": from, cookie },
      });
    const first = await login(password, "198.51.100.1");
    const cookies = first.headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0] ?? "");
    const browser = cookies.find((cookie) => cookie.startsWith("gadget_browser=")) ?? "";
    const tries: Response[] = [];
    for (let n = 0; n < 40; n += 1) {
      tries.push(await login("a wrong password", `203.0.113.${n}`));
    }
    // Twenty, and one more now and then.
    const heard = tries.filter(({ status }) => status === 401).length;
    expect(heard).toBeGreaterThanOrEqual(21);
    expect(heard).toBeLessThanOrEqual(25);
    const wait = Number(tries.findLast(({ status }) => status === 429)?.headers.get("retry-after"));
    expect(wait).toBeLessThanOrEqual(30);
    expect((await login(password, "203.0.113.99")).status).toBe(429);
    expect((await login(password, "203.0.113.99", browser)).status).toBe(200);
    // Guessing ends in a known browser too.
    const again = await statuses(15, () => login("a wrong password", "203.0.113.99", browser));
    expect(again.filter((status) => status === 401)).toHaveLength(10);
    const forged = browser.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    expect((await login(password, "203.0.113.98", forged)).status).toBe(429);
    const foreign = await sendRoute(guessed.address, "login", {
      body: { email: guessed.member.user.email, password },
    });
    const other = foreign.headers.getSetCookie().at(-1)?.split(";", 1)[0] ?? "";
    expect((await login(password, "203.0.113.97", other)).status).toBe(429);
    const mend = { password: "a new long password", currentPassword: password };
    const body = { body: mend, headers: { authorization: `Bearer ${guessed.owner.token}` } };
    expect((await sendRoute(guessed.address, "updateMe", body)).status).toBe(200);
    // With another password the browser is one like any other.
    expect((await login(password, "203.0.113.96", browser)).status).toBe(429);
    await guessed.stop();
  });
});

describe("an IPv6 network", () => {
  it("counts as one address, wherever its addresses leave out zeros", async () => {
    const proxied = await startServer({ env: { GADGET_PUBLIC_URL: "https://gadget.example" } });
    const spellings = [
      (host: number) => `2001:db8::${host}`,
      (host: number) => `2001:0db8:0:0::${host}`,
      (host: number) => `2001:db8:0:0:${host}:${host}:${host}:${host}`,
      (host: number) => `2001:db8::${host}:0:0:1`,
    ];
    const tries = Array.from({ length: 14 }, (_, n) => spellings[n % 4]?.(n + 1) ?? "");
    const answered: number[] = [];
    for (const from of [...tries, "2001:db8:0:1::1"]) {
      const body = { email: proxied.member.user.email, password: "a wrong password" };
      const headers = { "x-forwarded-for": from };
      answered.push((await sendRoute(proxied.address, "login", { body, headers })).status);
    }
    expect(answered.slice(0, 10)).toEqual(Array<number>(10).fill(401));
    expect(answered.slice(10)).toEqual([429, 429, 429, 429, 401]);
    await proxied.stop();
  });
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
