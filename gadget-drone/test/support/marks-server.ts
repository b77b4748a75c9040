import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Serves pages of 2 MB that are one mark again and again: `site?MARK`. */
export async function marksServer(): Promise<{ site: string; close: () => void }> {
  const server = createServer((request, response) => {
    const mark = decodeURIComponent(request.url?.split("?")[1] ?? "");
    response.writeHead(200, { "content-type": "text/html" });
    response.end(mark.repeat((2 * 1024 * 1024) / mark.length));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { site: `http://127.0.0.1:${port}/`, close: () => server.close() };
}
