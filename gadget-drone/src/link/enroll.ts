import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { json } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { pathOf, Refusal, routes } from "@gadget/api";
import { z } from "zod";
import { Problem } from "../problem.ts";
import type { Credential } from "./credential.ts";
import { agentTo, type OutboundProxy } from "./outbound-proxy.ts";

const timeoutMs = 15_000;
const lookMs = 500;
const wishEvery = 60;

export interface Enrolment {
  server: string;
  code: string;
  name: string;
  host: string;
  proxy: OutboundProxy | undefined;
}

/** Trades a one-time code for this drone's own credential. */
export async function enroll(enrolment: Enrolment): Promise<Credential> {
  const { server, code, name, host, proxy } = enrolment;
  const url = new URL(pathOf(routes.enrollDrone.path, {}), server);
  const { status, body } = await post(url, { code, name, host }, proxy).catch(() => {
    throw new Problem(`${server} gives no answer that a drone can read: check --server.`);
  });
  if (status !== routes.enrollDrone.status) {
    throw new Problem(whyNot(body, server));
  }
  const answer = z.safeParse(routes.enrollDrone.answer, body);
  if (!answer.success) {
    throw new Problem(`${server} is not a Gadget Code server: check --server.`);
  }
  const { drone, credential } = answer.data;
  return { server, droneId: drone.id, credential };
}

/** Not by `fetch`, which knows no proxies. */
async function post(
  url: URL,
  content: object,
  proxy: OutboundProxy | undefined,
): Promise<{ status: number; body: unknown }> {
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const agent = agentTo(url.href, proxy);
  const request = send(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    signal: AbortSignal.timeout(timeoutMs),
    ...(agent !== undefined && { agent }),
  });
  request.end(JSON.stringify(content));
  try {
    const [response]: IncomingMessage[] = await once(request, "response");
    if (response === undefined) {
      throw new Error("no answer");
    }
    return { status: response.statusCode ?? 0, body: await json(response) };
  } finally {
    agent?.destroy();
  }
}

function whyNot(body: unknown, server: string): string {
  const refusal = Refusal.safeParse(body);
  if (!refusal.success) {
    return `${server} is not a Gadget Code server: check --server.`;
  }
  return `The server did not enrol this drone: ${refusal.data.error.message}`;
}

/**
 * Takes the code out of the file, waiting for it as long as it takes: the server may start after
 * the drone, and have no owner yet. A server that shares the folder is asked by `FILE.wanted`; a
 * folder that can't be written is one into which somebody puts the code.
 */
export async function takeCode(file: string): Promise<string> {
  for (let looks = 0; ; looks += 1) {
    const code = (await readFile(file, "utf8").catch(() => "")).trim();
    if (code !== "") {
      // It works once: what is left would be taken for an answer the next time.
      await rm(file, { force: true }).catch(() => {});
      return code;
    }
    if (looks === 0) {
      process.stdout.write(`Waiting for a code in ${file}.\n`);
    }
    // Again now and then, should the node that took the wish have died.
    if (looks % wishEvery === 0) {
      await writeFile(`${file}.wanted`, "", { mode: 0o600 }).catch(() => {});
    }
    await delay(lookMs);
  }
}
