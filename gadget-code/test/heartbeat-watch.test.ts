import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startEmbeddedMongo } from "@gadget/embedded-mongo";
import { becomes } from "@gadget/testing/becomes";
import { TcpProxy } from "@gadget/testing/tcp-proxy";
import mongoose from "mongoose";
import { afterEach, expect, it } from "vitest";
import { watchHeartbeats } from "../src/watch-heartbeats.ts";

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const one of cleanUp.splice(0).reverse()) {
    await one();
  }
});

it("a database that is lost, and whose heartbeat never ends, is connected anew for the same models", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "gadget-heartbeat-"));
  const database = await startEmbeddedMongo({ dataDir, port: 0 });
  const way = await TcpProxy.start(() => Number(new URL(database.uri).port));
  const uri = `mongodb://127.0.0.1:${way.port}/gadget?directConnection=true`;
  const options = { heartbeatFrequencyMS: 500, serverSelectionTimeoutMS: 500 };
  const connection = mongoose.createConnection(uri, options);
  await connection.asPromise();
  const notes = connection.model("Note", new mongoose.Schema({ text: String }));
  await notes.create({ text: "before" });
  // While nothing passes, the driver itself would wait for thirty seconds.
  const stop = watchHeartbeats(connection, { uri, options, limitMs: 400 });
  cleanUp.push(
    () => rm(dataDir, { recursive: true, force: true }),
    () => database.stop(),
    () => way.stop(),
    () => connection.close(true),
    async () => stop(),
  );
  const first = connection.getClient();
  // Slow alone is no loss: what was asked is answered when it goes on.
  way.stall();
  const slow = notes.find().lean();
  await delay(1_500);
  expect(connection.getClient()).toBe(first);
  way.open();
  expect(await slow).toMatchObject([{ text: "before" }]);

  way.stall();
  const lost = notes.find().lean();
  way.cut();
  way.stall();
  await expect(lost).rejects.toBeInstanceOf(Error);
  await becomes(
    async () => connection.getClient(),
    (client) => client !== first,
    15_000,
  );
  way.open();
  const found = await becomes(
    () =>
      notes
        .find()
        .lean()
        .catch(() => []),
    (list) => list.length > 0,
    15_000,
  );
  expect(found).toMatchObject([{ text: "before" }]);
});
