import { Agent, type IncomingHttpHeaders, request } from "node:http";

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

interface RawRequest {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** A request with any header, also those that fetch keeps for itself. An upgrade is status 101. */
export function rawRequest(
  url: string,
  { method = "GET", path, headers = {}, body }: RawRequest,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const sent = request(url + path, { method, headers: { ...length, ...headers }, agent });
    sent.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: "" });
    });
    sent.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** The first request of a websocket to socket.io. */
export function upgrade(
  url: string,
  headers: Record<string, string>,
  query = "",
): Promise<RawAnswer> {
  return rawRequest(url, {
    path: `/socket.io/?EIO=4&transport=websocket${query}`,
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      ...headers,
    },
  });
}
