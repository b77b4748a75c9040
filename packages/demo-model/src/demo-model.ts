import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serveRequest } from "./serve-request.ts";

export interface DemoModelOptions {
  /** 0, the default, takes any free port. */
  port?: number;
  host?: "127.0.0.1";
  /** A random key when none is given; the empty string lets everybody in. */
  apiKey?: string;
  tokensPerSecond?: number;
  /** Closes the server. */
  signal?: AbortSignal;
}

export interface DemoModel {
  baseUrl: string;
  apiKey: string;
  /** Breaks every open connection and frees the port. */
  close(): Promise<void>;
}

const defaultTokensPerSecond = 30;

export async function startDemoModel(options: DemoModelOptions = {}): Promise<DemoModel> {
  const { host = "127.0.0.1", port = 0, signal } = options;
  const { tokensPerSecond = defaultTokensPerSecond } = options;
  const apiKey = options.apiKey ?? `demo-${randomBytes(24).toString("hex")}`;
  signal?.throwIfAborted();

  const server = createServer((request, response) => {
    void serveRequest(request, response, { allows: keyCheck(apiKey), tokensPerSecond });
  });
  server.listen(port, host);
  await once(server, "listening");

  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= new Promise<void>((resolve) => {
      signal?.removeEventListener("abort", onAbort);
      server.close(() => resolve());
      server.closeAllConnections();
    });
    return closing;
  };
  const onAbort = () => void close();
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) {
    await close();
  }
  signal?.throwIfAborted();
  return { baseUrl: `http://${host}:${portOf(server.address())}/v1`, apiKey, close };
}

function keyCheck(apiKey: string): (authorization: string | undefined) => boolean {
  const expected = Buffer.from(`Bearer ${apiKey}`);
  return (authorization) => {
    if (apiKey === "") {
      return true;
    }
    const given = Buffer.from(authorization ?? "");
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") {
    throw new Error("The server has no port");
  }
  return address.port;
}
