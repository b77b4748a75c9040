import { setTimeout as delay } from "node:timers/promises";
import { census } from "@gadget/testing/census";
import { eventually } from "@gadget/testing/eventually";
import type { ModelCall } from "@gadget/testing/scripted-model";
import { startStack } from "../../gadget-code/e2e/stack.ts";
import { Client } from "../../packages/cli/src/client.ts";
import { Stack } from "../test/support/stack.ts";
import { Story } from "../test/support/story.ts";
import { textOf, transcriptOf } from "../test/support/turn-watch.ts";
import { middle, quantile, type Row, residentMb, row } from "./row.ts";

const cancels = 100;
const streams = 10;
const starts = 5;

/** The product as real processes on loopback, against a scripted model over HTTP. */
export async function bench(): Promise<Row[]> {
  const stack = await Stack.start();
  const { closed, ended } = await cancelling(stack);
  const streamed = await streaming(stack);
  await stack.stop();
  const { ready, idleMb } = await starting();
  return [
    middle("REST cancel to model's connection closed, median", closed, "ms", 10),
    row("REST cancel to model's connection closed, p99", quantile(closed, 0.99), "ms", 40),
    middle("REST cancel to aborted, stored and published, median", ended, "ms", 30),
    middle("5,000 tokens, first byte to end, median", streamed, "ms", 600),
    middle("npm start to local drone online, median", ready, "ms", 2_500),
    middle("idle memory of server, database and drone", idleMb, "MB", 300),
  ];
}

async function cancelling(stack: Stack) {
  const closed: number[] = [];
  const ended: number[] = [];
  const sessionId = await stack.newSession();
  for (let run = 0; run < cancels; run += 1) {
    let call: ModelCall | undefined;
    const story = new Story();
    stack.model.answer((asked) => {
      call = asked;
      return story.tell(asked, 3, () => false);
    });
    const { id } = await stack.submit(sessionId, "Tell me a story.");
    const watch = stack.watch(id);
    await eventually("some text", () => watch.text.length > 20);
    const begun = performance.now();
    void stack.cancel(id);
    ended.push((await watch.ended) - begun);
    if (call !== undefined) {
      closed.push((await call.closed) - begun);
    }
  }
  return { closed, ended };
}

async function streaming(stack: Stack): Promise<number[]> {
  const took: number[] = [];
  for (let run = 0; run < streams; run += 1) {
    const sessionId = await stack.newSession();
    let sent = "";
    let begun = 0;
    stack.model.answer((call) => {
      begun = performance.now();
      for (let token = 0; token < 5_000; token += 1) {
        call.text(`t${token} `);
        sent += `t${token} `;
      }
      call.end();
    });
    const { id } = await stack.submit(sessionId, "Tell me everything.");
    const watch = stack.watch(id);
    took.push((await watch.ended) - begun);
    const stored = textOf(transcriptOf(id, await stack.events(id)));
    if (watch.text !== sent || stored !== sent) {
      throw new Error("Something was lost.");
    }
  }
  return took;
}

/** Built already: what a second start takes, until the local drone can be given work. */
async function starting() {
  const account = { email: "ada@example.com", password: "correct horse battery" };
  const ready: number[] = [];
  const idleMb: number[] = [];
  for (let run = 0; run < starts; run += 1) {
    const begun = performance.now();
    const stack = await startStack({
      GADGET_OWNER_EMAIL: account.email,
      GADGET_OWNER_PASSWORD: account.password,
      GADGET_LOG_LEVEL: "warn",
    });
    const client = new Client(stack.url, undefined);
    const signal = AbortSignal.timeout(60_000);
    const { headers } = await client.exchange("login", { body: account, signal });
    const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
    const ask = { headers: { cookie, origin: stack.url }, signal };
    await eventually("the drone is online", async () => {
      const { items } = await client.request("listDrones", ask);
      return items.some(({ status }) => status === "online");
    });
    ready.push(performance.now() - begun);
    await delay(1_000);
    const processes = (await census(stack.dataDir)).filter((line) => /\.mjs/.test(line));
    const parts = processes.filter((line) => !line.includes("start.mjs"));
    let sum = 0;
    for (const line of parts) {
      sum += await residentMb(Number(line.split(" ")[0]));
    }
    idleMb.push(sum);
    await stack.stop();
  }
  return { ready, idleMb };
}
