import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { pathOf, Refusal, routes } from "@gadget/api";
import { z } from "zod";
import type { Credential } from "./credential.ts";
import { Problem } from "./problem.ts";

const timeoutMs = 15_000;
/** As long as a code is valid. */
const codeMs = 15 * 60_000;

export interface Enrolment {
  server: string;
  code: string;
  name: string;
  host: string;
}

/** Trades a one-time code for this drone's own credential. */
export async function enroll(enrolment: Enrolment): Promise<Credential> {
  const { server, code, name, host } = enrolment;
  const url = new URL(pathOf(routes.enrollDrone.path, {}), server);
  let status: number;
  let body: unknown;
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code, name, host }),
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
    status = response.status;
    body = await response.json();
  } catch {
    throw new Problem(`${server} gives no answer that a drone can read: check --server.`);
  }
  if (status !== routes.enrollDrone.status) throw new Problem(whyNot(body, server));
  const answer = z.safeParse(routes.enrollDrone.answer, body);
  if (!answer.success) throw new Problem(`${server} is not a Gadget Code server: check --server.`);
  const { drone, credential } = answer.data;
  return { server, droneId: drone.id, credential };
}

function whyNot(body: unknown, server: string): string {
  const refusal = Refusal.safeParse(body);
  if (!refusal.success) return `${server} is not a Gadget Code server: check --server.`;
  return `The server did not enrol this drone: ${refusal.data.error.message}`;
}

/** Waits until the file with the code is there: the server may start after the drone. */
export async function readCode(file: string, withinMs = codeMs): Promise<string> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const code = (await readFile(file, "utf8").catch(() => "")).trim();
    if (code !== "") return code;
    if (performance.now() > deadline) throw new Problem(`No code came into ${file}.`);
    await delay(500);
  }
}
