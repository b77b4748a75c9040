import type { lookup } from "node:dns";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { fetchPage } from "./fetch-page.ts";

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A site at an address of this machine; 127.0.0.2 stands for the inner ones here. */
async function site(address: string, answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  servers.push(server);
  server.listen(0, address);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const signal = new AbortController().signal;
const isInner = (address: string) => address === "127.0.0.2";

/** A name server that gives each time the next address. */
function names(...addresses: string[]) {
  const asked: string[] = [];
  const resolve = ((name: string, _options: object, callback: (...args: unknown[]) => void) => {
    const address = addresses[Math.min(asked.length, addresses.length - 1)];
    asked.push(name);
    callback(null, [{ address, family: 4 }]);
  }) as typeof lookup;
  return { asked, resolve };
}

it("a redirect to an inner address is refused, by number and by name", async () => {
  let reached = 0;
  const inner = await site("127.0.0.2", (_, response) => {
    reached += 1;
    response.end("inner-canary");
  });
  for (const host of ["127.0.0.2", "inner.example"]) {
    const outer = await site("127.0.0.1", (_, response) => {
      response.writeHead(302, { location: `http://${host}:${inner}/` }).end();
    });
    const { resolve } = names("127.0.0.2");
    const page = fetchPage(`http://127.0.0.1:${outer}/`, {
      signal,
      innerAddresses: false,
      isInner,
      resolve,
    });
    await expect(page).rejects.toThrow(`${host} is inside the drone's own network`);
  }
  expect(reached).toBe(0);
});

it("a name is looked up once, and that address is the one that is connected to", async () => {
  const port = await site("127.0.0.1", (_, response) => response.end("outer"));
  const { asked, resolve } = names("127.0.0.1", "127.0.0.2");
  const options = { signal, innerAddresses: false, isInner, resolve };
  const page = await fetchPage(`http://rebinding.example:${port}/`, options);
  expect(page.text).toBe("outer");
  expect(asked).toEqual(["rebinding.example"]);
  const again = fetchPage(`http://rebinding.example:${port}/`, options);
  await expect(again).rejects.toThrow(/own network/);
});

it("one inner address among several is enough for a refusal", async () => {
  const resolve = ((_name: string, _options: object, callback: (...args: unknown[]) => void) =>
    callback(null, [
      { address: "127.0.0.1", family: 4 },
      { address: "127.0.0.2", family: 4 },
    ])) as typeof lookup;
  const options = { signal, innerAddresses: false, isInner, resolve };
  await expect(fetchPage("http://both.example:1/", options)).rejects.toThrow(/own network/);
});

it("a page that has no end is cut, and redirects in a circle end", async () => {
  const port = await site("127.0.0.1", (request, response) => {
    if (request.url === "/circle") {
      return void response.writeHead(302, { location: "/circle" }).end();
    }
    const more = () => {
      while (response.write(Buffer.alloc(65_536, "a"))) {}
      response.once("drain", more);
    };
    more();
  });
  const options = { signal, innerAddresses: true };
  const page = await fetchPage(`http://127.0.0.1:${port}/endless`, options);
  expect(page).toMatchObject({ cut: true, status: 200 });
  expect(page.text).toHaveLength(2 * 1024 * 1024);
  const circle = fetchPage(`http://127.0.0.1:${port}/circle`, options);
  await expect(circle).rejects.toThrow("redirects too often");
});

it("an abort closes the connection, before the answer and in its middle", async () => {
  for (const begins of [false, true]) {
    const controller = new AbortController();
    let close = () => {};
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    const port = await site("127.0.0.1", (_, response) => {
      response.once("close", close);
      if (begins) {
        response.write("half", () => controller.abort());
      } else {
        controller.abort();
      }
    });
    const options = { signal: controller.signal, innerAddresses: true };
    await expect(fetchPage(`http://127.0.0.1:${port}/`, options)).rejects.toThrow(/abort/i);
    await closed;
  }
});
