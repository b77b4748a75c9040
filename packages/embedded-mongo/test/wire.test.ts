import { BSON } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { crc32c } from "../src/wire/crc32c.ts";
import { bodySection, header, opMsg, RawConnection, sequenceSection } from "./raw-connection.ts";
import { startDatabase, type TestDatabase } from "./start-database.ts";

const ping = bodySection({ ping: 1, $db: "admin" });

describe("the wire protocol", () => {
  let database: TestDatabase;
  const open: RawConnection[] = [];
  beforeAll(async () => {
    database = await startDatabase({ port: 0 });
  });
  afterAll(async () => {
    for (const connection of open) {
      connection.close();
    }
    await database.stop();
  });
  function connection(): RawConnection {
    const one = new RawConnection(database.uri);
    open.push(one);
    return one;
  }

  it("answers OP_MSG, whatever the chunks it comes in", async () => {
    const raw = connection();
    const message = Buffer.concat([opMsg(0, ping), opMsg(0, ping)]);
    for (const byte of message) {
      raw.socket.write(Buffer.from([byte]));
    }
    expect(await raw.reply()).toEqual({ ok: 1 });
    expect(await raw.reply()).toEqual({ ok: 1 });
  });

  it("answers the greeting in OP_QUERY with OP_REPLY", async () => {
    const raw = connection();
    const rest = Buffer.concat([
      Buffer.alloc(4),
      Buffer.from("admin.$cmd\0"),
      Buffer.from([0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]),
      BSON.serialize({ isMaster: 1, helloOk: true }),
    ]);
    raw.socket.write(Buffer.concat([header(16 + rest.length, 2004), rest]));
    const message = await raw.message();
    expect(message?.readInt32LE(12)).toBe(1);
    expect(message?.readInt32LE(8)).toBe(7);
    expect(BSON.deserialize(message?.subarray(36) ?? Buffer.alloc(0))).toMatchObject({
      ismaster: true,
      helloOk: true,
      maxBsonObjectSize: 16 * 1024 * 1024,
      ok: 1,
    });
  });

  it("takes documents beside the body, and inside of it", async () => {
    const raw = connection();
    raw.socket.write(
      opMsg(
        0,
        bodySection({ insert: "beside", $db: "wire" }),
        sequenceSection("documents", [{ _id: 1 }, { _id: 2 }]),
      ),
    );
    expect(await raw.reply()).toEqual({ n: 2, ok: 1 });
    raw.socket.write(
      opMsg(
        0,
        sequenceSection("documents", [{ _id: 3 }]),
        bodySection({ insert: "beside", $db: "wire" }),
      ),
    );
    expect(await raw.reply()).toEqual({ n: 1, ok: 1 });
    raw.socket.write(
      opMsg(
        0,
        bodySection({ insert: "beside", documents: [], $db: "wire" }),
        sequenceSection("documents", [{ _id: 4 }]),
      ),
    );
    expect(await raw.reply()).toMatchObject({ ok: 0, code: 40415 });
  });

  it("checks a checksum, and answers with one", async () => {
    const raw = connection();
    const message = Buffer.concat([opMsg(1, ping), Buffer.alloc(4)]);
    message.writeInt32LE(message.length, 0);
    message.writeUInt32LE(crc32c(message.subarray(0, -4)), message.length - 4);
    raw.socket.write(message);
    const reply = await raw.message();
    if (reply === undefined) {
      throw new Error("no reply");
    }
    expect(reply.readUInt32LE(16)).toBe(1);
    expect(crc32c(reply.subarray(0, -4))).toBe(reply.readUInt32LE(reply.length - 4));
    message.writeUInt32LE(1, message.length - 4);
    raw.socket.write(message);
    expect(await raw.message()).toBeUndefined();
  });

  it("sends no reply when more is to come", async () => {
    const raw = connection();
    raw.socket.write(
      opMsg(
        2,
        bodySection({
          insert: "quiet",
          documents: [{ _id: 1 }],
          $db: "wire",
          writeConcern: { w: 0 },
        }),
      ),
    );
    raw.socket.write(opMsg(0, bodySection({ count: "quiet", $db: "wire" })));
    expect(await raw.reply()).toEqual({ n: 1, ok: 1 });
  });

  it.each([
    ["a length below the header", header(3)],
    ["a length past 48 MB", header(48_000_001)],
    ["a negative length", header(-1)],
    ["an unknown opcode", Buffer.concat([header(20, 2002), Buffer.alloc(4)])],
    ["unknown required flags", opMsg(4, ping)],
    ["no body", opMsg(0)],
    ["two bodies", opMsg(0, ping, ping)],
    ["an unknown section", opMsg(0, ping, Buffer.from([9]))],
    ["a cut document", opMsg(0, Buffer.from([0, 200, 0, 0, 0, 1]))],
    ["a cut sequence", opMsg(0, ping, Buffer.from([1, 0, 1, 0, 0]))],
  ])("closes the connection that sends %s, and no other", async (_, bytes) => {
    const good = connection();
    const bad = connection();
    bad.socket.write(bytes);
    expect(await bad.message()).toBeUndefined();
    good.socket.write(opMsg(0, ping));
    expect(await good.reply()).toEqual({ ok: 1 });
  });

  it("answers a body of broken BSON with an error", async () => {
    const raw = connection();
    const body = BSON.serialize({ ping: 1, $db: "admin" });
    body[4] = 0x55;
    raw.socket.write(opMsg(0, Buffer.concat([Buffer.from([0]), body])));
    expect(await raw.reply()).toMatchObject({ ok: 0, code: 22, codeName: "InvalidBSON" });
  });

  it("survives a thousand damaged messages", async () => {
    const whole = opMsg(
      0,
      bodySection({ insert: "fuzz", $db: "wire", ordered: true }),
      sequenceSection("documents", [{ a: "text", b: [1, { c: null }], d: new Date() }]),
    );
    let seed = 42;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    const attack = async (): Promise<void> => {
      const raw = new RawConnection(database.uri);
      const bytes = Buffer.from(whole);
      for (let i = 0; i <= random(6); i += 1) {
        bytes[random(bytes.length)] = random(256);
      }
      raw.socket.end(random(4) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes);
      while ((await raw.message()) !== undefined) {}
      raw.close();
    };
    for (let round = 0; round < 25; round += 1) {
      await Promise.all(Array.from({ length: 40 }, attack));
    }
    expect(await database.client.db("wire").command({ ping: 1 })).toMatchObject({ ok: 1 });
    const collections = await database.client.db("wire").listCollections().toArray();
    for (const { name } of collections) {
      expect(await database.client.db("wire").command({ validate: name })).toMatchObject({
        valid: true,
      });
    }
  });

  it("ends the work of a client that is gone", async () => {
    const rows = database.client.db("wire").collection("many");
    await rows.insertMany(Array.from({ length: 2000 }, (_, i) => ({ i, pad: "x".repeat(500) })));
    const raw = connection();
    raw.socket.write(opMsg(0, bodySection({ find: "many", $db: "wire", batchSize: 2000 })));
    raw.close();
    await expect
      .poll(async () => {
        const { connections } = await database.client.db("admin").command({ serverStatus: 1 });
        return connections.current;
      })
      .toBeLessThan(open.length + 10);
    expect(await rows.countDocuments({})).toBe(2000);
  });
});
