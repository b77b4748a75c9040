import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** One request as the server saw it. */
export interface Received {
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
  response: ServerResponse;
  /** Of which connection it came, counted from 1. */
  connection: number;
  /** When its socket closed (performance.now), for whatever reason. */
  socketClosed: Promise<number>;
}

export type Play = (received: Received) => void | Promise<void>;

export interface ModelServer {
  url: string;
  received: Received[];
  /** What the server does with the next requests, in order; the last one stays. */
  play(...plays: Play[]): void;
  /** The n-th request, counted from 1, once it has come. */
  request(n: number): Promise<Received>;
  close(): Promise<void>;
}

/** A model server that can be told to misbehave at every moment of a request. */
export async function startModelServer(): Promise<ModelServer> {
  const received: Received[] = [];
  const waiting = new Map<number, (received: Received) => void>();
  const connections = new WeakMap<object, number>();
  let opened = 0;
  let plays: Play[] = [];

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void answer(request, response);
  });
  server.on("connection", (socket) => {
    socket.setMaxListeners(0);
    socket.setNoDelay(true);
    connections.set(socket, ++opened);
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const socketClosed = new Promise<number>((resolve) => {
      request.socket.once("close", () => resolve(performance.now()));
    });
    response.on("error", () => undefined);
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) {
      body += String(chunk);
    }
    const record: Received = {
      path: request.url ?? "",
      headers: request.headers,
      body,
      response,
      connection: connections.get(request.socket) ?? 0,
      socketClosed,
    };
    received.push(record);
    waiting.get(received.length)?.(record);
    const play = plays.length > 1 ? plays.shift() : plays[0];
    await play?.(record);
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    play: (...list) => {
      plays = list;
    },
    request: (n) => {
      const there = received[n - 1];
      return there
        ? Promise.resolve(there)
        : new Promise((resolve) => {
            waiting.set(n, resolve);
          });
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Writes so that the pieces arrive one by one: each is sent before the next is written. */
export async function writeSlowly(response: ServerResponse, pieces: Iterable<string | Uint8Array>) {
  for (const piece of pieces) {
    if (response.destroyed) {
      return;
    }
    await new Promise<void>((resolve) => {
      response.write(piece, () => resolve());
    });
    await new Promise((resolve) => setImmediate(resolve));
  }
}
