import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TurnId } from "@gadget/api";
import { census } from "@gadget/testing/census";
import { eventually } from "@gadget/testing/eventually";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import { startStack } from "../../gadget-code/e2e/stack.ts";
import { Client } from "../../packages/cli/src/client.ts";

it("A19 A36 npm start: server and drone, killed, are started again, and nothing is left at the end", async () => {
  const account = { email: "ada@example.com", password: "correct horse battery" };
  const stack = await startStack({
    GADGET_OWNER_EMAIL: account.email,
    GADGET_OWNER_PASSWORD: account.password,
    GADGET_LOG_LEVEL: "warn",
  });
  let client = new Client(stack.url, undefined);
  const signal = AbortSignal.timeout(60_000);
  try {
    const { headers } = await client.exchange("login", { body: account, signal });
    const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
    const ask = { headers: { cookie, origin: stack.url }, signal };
    const online = async () => {
      const { items } = await client.request("listDrones", ask).catch(() => ({ items: [] }));
      return items.some(({ status }) => status === "online");
    };
    await eventually("the local drone is online", online);
    const { items: projects } = await client.request("listProjects", ask);
    const projectId = projects[0]?.id;
    if (projectId === undefined) {
      throw new Error("There is no sample project.");
    }
    // Told by the drone itself: an order that it has not begun would go back to the queue.
    const begun = async (id: TurnId) => {
      const { items } = await client.request("listEvents", { params: { id }, ...ask });
      return items.some(({ type }) => type.startsWith("text:"));
    };
    const begin = async () => {
      const params = { id: projectId };
      const { session } = await client.request("createSession", { params, body: {}, ...ask });
      const body = { prompt: "Tell me a long story." };
      const made = await client.request("submitTurn", {
        params: { id: session.id },
        body,
        ...ask,
      });
      const { id } = made.turn;
      const status = async () =>
        (await client.request("getTurn", { params: { id }, ...ask }).catch(() => undefined))?.turn
          .status;
      await eventually("the drone runs it", () => begun(id).catch(() => false));
      return { id, sessionId: session.id, status };
    };
    const kill = async (bundle: string) => {
      const found = (await census(stack.dataDir)).find((line) => line.includes(bundle));
      if (found === undefined) {
        throw new Error(`${bundle} does not run.`);
      }
      process.kill(Number(found.split(" ")[0]), "SIGKILL");
      return found;
    };

    const lost = await begin();
    await kill("gadget-drone.mjs");
    await eventually("it is interrupted", async () => (await lost.status()) === "interrupted");
    const next = await begin();
    const server = await kill("server.mjs");
    // It may choose its port anew; the local drone is told, as everybody is.
    const url = await eventually(
      "another server runs",
      async () => {
        if ((await census(stack.dataDir)).includes(server)) {
          return undefined;
        }
        const running = await readFile(join(stack.dataDir, "launcher.json"), "utf8");
        const found = z.object({ url: z.string() }).parse(JSON.parse(running)).url;
        return (await fetch(`${found}/healthz`).catch(() => undefined))?.ok && found;
      },
      30_000,
    );
    client = new Client(url, undefined);
    ask.headers.origin = url;
    await client.request("cancelTurn", { params: { id: next.id }, ...ask });
    await eventually("it is aborted", async () => (await next.status()) === "aborted", 30_000);
  } finally {
    await stack.stop();
  }
  expect(await census(stack.dataDir)).toEqual([]);
});
