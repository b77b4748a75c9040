import { droneCommands, droneNamespace, ideCommands, ideNamespace } from "@gadget/api";
import { Manager } from "socket.io-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sendRoute } from "../person.ts";
import { startServer, type TestServer } from "../server.ts";
import { rawRequest, upgrade } from "./raw-request.ts";
import { routeSample, samplePath, table, unsafe } from "./route-samples.ts";
import { jsonSchemaOf, sampleOf } from "./samples.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const guarded = table.filter(([, { access }]) => access !== "public");
const ownHost = () => new URL(server.url).host;
const foreignOrigins = (): Record<string, string> => ({
  evil: "https://evil.example",
  null: "null",
  suffix: `${server.url}.evil.example`,
  "another port": "http://127.0.0.1:1",
  "another scheme": server.url.replace("http:", "ftp:"),
  "the secure scheme": server.url.replace("http:", "https:"),
});

describe("every route", () => {
  it.each(guarded)("%s answers 401 without a good credential", async (name, route) => {
    const sample = routeSample(route);
    for (const headers of [
      {},
      { authorization: "Bearer gadget_not-a-token" },
      { authorization: `Basic ${server.owner.token}` },
      { cookie: "gadget_session=s_not-a-session" },
      { "x-forwarded-for": "127.0.0.1" },
    ] satisfies Record<string, string>[]) {
      expect((await sendRoute(server.url, name, { ...sample, headers })).status).toBe(401);
    }
    const inUrl = { ...sample, query: { token: server.owner.token } };
    expect((await sendRoute(server.url, name, inUrl)).status).toBe(401);
  });

  it.each(table)("%s is not for another host", async (_, route) => {
    const { method } = route;
    for (const host of ["evil.example", `${ownHost()}.evil.example`, "127.0.0.1.evil.example"]) {
      const headers = { host, authorization: `Bearer ${server.owner.token}` };
      const { status, body } = await rawRequest(server.url, {
        method,
        path: samplePath(route),
        headers,
      });
      expect(status, host).toBe(403);
      expect(body).toContain(host);
    }
  });

  it.each(table)("%s lets no other site read it", async (_, route) => {
    for (const method of ["OPTIONS", "GET"]) {
      const { headers } = await rawRequest(server.url, {
        method,
        path: samplePath(route),
        headers: {
          origin: "https://evil.example",
          cookie: server.owner.cookie,
          "access-control-request-method": route.method,
          accept: "application/json",
        },
      });
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
      expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["cache-control"]).toBe("no-store");
    }
  });
});

describe("every route that changes something", () => {
  it.each(unsafe)("%s refuses another site's requests", async (name, route) => {
    const sample = routeSample(route);
    const { cookie } = server.owner;
    for (const [what, origin] of Object.entries(foreignOrigins())) {
      const response = await sendRoute(server.url, name, {
        ...sample,
        headers: { cookie, origin },
      });
      expect(response.status, what).toBe(403);
    }
    if (route.access === "public") {
      return;
    }
    const absent = await sendRoute(server.url, name, { ...sample, headers: { cookie } });
    expect(absent.status, "absent").toBe(403);
  });

  it.each(unsafe)("%s takes no form of a browser", async (_, route) => {
    const { body } = routeSample(route);
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
    ]) {
      const { status } = await rawRequest(server.url, {
        method: route.method,
        path: samplePath(route),
        headers: { cookie: server.owner.cookie, origin: server.url, "content-type": type },
        body: JSON.stringify(body),
      });
      expect(status, type).toBe(400);
    }
  });
});

describe("a websocket", () => {
  const refused = "came from another site";

  it("with a cookie needs our very origin", async () => {
    const { url, owner } = server;
    const { cookie } = owner;
    for (const [what, origin] of Object.entries(foreignOrigins())) {
      for (const headers of [{ cookie, origin }, { origin }]) {
        const { status, body } = await upgrade(url, headers);
        expect([status, body], what).toEqual([400, expect.stringContaining(refused)]);
      }
    }
    expect((await upgrade(url, { cookie })).body, "absent").toContain(refused);
    expect((await upgrade(url, { cookie, origin: url })).status).toBe(101);
    expect((await upgrade(url, {})).status).toBe(101);
  });

  it("is not for another host", async () => {
    for (const host of ["evil.example", `${ownHost()}.evil.example`]) {
      for (const headers of [{ host }, { host, origin: `http://${host}` }]) {
        const { status, body } = await upgrade(server.url, headers);
        expect([status, body]).toEqual([400, expect.stringContaining(`the host "${host}"`)]);
      }
    }
  });

  it("is the only way in: there is no polling", async () => {
    const { status } = await rawRequest(server.url, {
      path: "/socket.io/?EIO=4&transport=polling",
    });
    expect(status).toBe(400);
  });
});

/** Talks to a namespace past the client library, which would send nothing before it is let in. */
async function knock(namespace: string, auth: object, lines: string[]): Promise<string[]> {
  const manager = new Manager(server.url, { transports: ["websocket"], reconnection: false });
  await new Promise<void>((resolve, reject) => {
    manager.once("open", resolve);
    manager.once("error", reject);
  });
  const heard: string[] = [];
  const closed = new Promise<void>((resolve) => void manager.engine.on("close", () => resolve()));
  const refused = new Promise<void>((resolve) => {
    manager.engine.on("data", (data: unknown) => {
      heard.push(String(data));
      if (String(data).startsWith("44")) {
        resolve();
      }
    });
  });
  for (const line of lines) {
    manager.engine.write(line);
  }
  manager.engine.write(`40${namespace},${JSON.stringify(auth)}`);
  await Promise.race([refused, closed]);
  for (const line of lines) {
    manager.engine.write(line);
  }
  // Another packet that is answered for sure: what would be answered was answered before it.
  manager.engine.write(`40${namespace},{}`);
  const target = heard.length + 1;
  while (heard.length < target && manager.engine.readyState === "open") {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  manager.engine.close();
  return heard.filter((line) => !line.startsWith("0"));
}

describe("behind a proxy with TLS", () => {
  it("the origin's scheme is that of the public address, or what the proxy says", async () => {
    const env = {
      GADGET_PUBLIC_URL: "https://gadget.example",
      GADGET_ALLOWED_HOSTS: "more.example",
    };
    const proxied = await startServer({ env });
    const tries = [
      { host: "gadget.example", origin: "https://gadget.example", passes: true },
      { host: "gadget.example", origin: "http://gadget.example", passes: false },
      { host: "more.example", origin: "https://more.example", passes: true },
      { host: "more.example", origin: "https://more.example", proto: "https", passes: true },
      { host: "more.example", origin: "http://more.example", proto: "https", passes: false },
      { host: "127.0.0.1:4180", origin: "https://127.0.0.1:4180", passes: false },
      { host: "localhost:8443", origin: "https://localhost:8443", proto: "https", passes: true },
    ];
    for (const { host, origin, proto, passes } of tries) {
      const forwarded = proto === undefined ? {} : { "x-forwarded-proto": proto };
      const headers = { host, origin, cookie: proxied.owner.cookie, ...forwarded };
      const { status } = await rawRequest(proxied.address, {
        method: "PATCH",
        path: "/api/v1/me",
        headers,
      });
      expect(status, `${origin} ${proto ?? ""}`).toBe(passes ? 200 : 403);
      const { status: socket } = await upgrade(proxied.address, headers);
      expect(socket, `${origin} ${proto ?? ""}`).toBe(passes ? 101 : 400);
    }
    await proxied.stop();
  });
});

describe("every event", () => {
  const doors = [
    [ideNamespace, ideCommands],
    [droneNamespace, droneCommands],
  ] as const;

  it.each(doors)("of %s is unheard without a good credential", async (namespace, commands) => {
    const lines = Object.entries(commands).map(([name, { args }], index) => {
      const sample = sampleOf(jsonSchemaOf(args));
      const values = Array.isArray(sample) ? (sample as unknown[]) : [];
      return `42${namespace},${index}${JSON.stringify([name, ...values])}`;
    });
    for (const auth of [
      {},
      { token: "gadget_not-a-token" },
      { token: { $ne: null } },
      {
        droneId: "12345678",
        credential: "drone_not-a-credential-at-all",
        protocol: { version: 1, oldest: 1 },
      },
      { droneId: { $ne: null }, credential: { $ne: null }, protocol: { version: 1, oldest: 1 } },
    ]) {
      const heard = await knock(namespace, auth, lines);
      expect(
        heard.filter((line) => line.startsWith("43")),
        JSON.stringify(auth),
      ).toEqual([]);
      expect(heard.filter((line) => line.startsWith("40"))).toEqual([]);
    }
  });
});
