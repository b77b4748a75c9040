import mongoose, { type Connection, Schema } from "mongoose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDatabase, type TestDatabase } from "./start-database.ts";

const partSchema = new Schema({ kind: String, text: String }, { timestamps: true });
const turnSchema = new Schema(
  {
    session: { type: String, required: true },
    unsettled: { type: Boolean },
    epoch: { type: Number, default: 0 },
    parts: [partSchema],
    meta: { type: Map, of: String },
  },
  { timestamps: true },
);
turnSchema.index({ session: 1 }, { unique: true, partialFilterExpression: { unsettled: true } });
turnSchema.index({ session: 1, createdAt: -1 });

describe("mongoose, unmodified", () => {
  let database: TestDatabase;
  let connection: Connection;
  beforeAll(async () => {
    database = await startDatabase();
    connection = await mongoose.createConnection(database.uri).asPromise();
  });
  afterAll(async () => {
    await connection.close();
    await database.stop();
  });

  it("builds indexes, validates, saves, and bumps versions of arrays", async () => {
    const Turn = connection.model("Turn", turnSchema);
    await Turn.init();
    const turn = await Turn.create({ session: "s1", unsettled: true, parts: [{ text: "a" }] });
    turn.parts.push({ text: "b" });
    turn.parts[0]?.set("text", "A");
    turn.set("meta", new Map([["k", "v"]]));
    await turn.save();
    const found = await Turn.findById(turn.id).lean();
    expect(found).toMatchObject({ parts: [{ text: "A" }, { text: "b" }], meta: { k: "v" } });
    expect(await Turn.diffIndexes()).toEqual({ toDrop: [], toCreate: [] });
    await expect(Turn.create({ session: "s1", unsettled: true })).rejects.toMatchObject({
      code: 11000,
      keyPattern: { session: 1 },
      keyValue: { session: "s1" },
    });
  });

  it("compares and sets: one of many rivals wins", async () => {
    const Turn = connection.model("Turn", turnSchema);
    const { _id } = await Turn.create({ session: "s2", unsettled: true });
    const claims = await Promise.all(
      Array.from({ length: 20 }, () =>
        Turn.findOneAndUpdate(
          { _id, epoch: 0 },
          { $inc: { epoch: 1 }, $push: { parts: { text: "claimed" } } },
          { returnDocument: "after" },
        ),
      ),
    );
    expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
    const settled = await Turn.updateOne({ _id }, { $unset: { unsettled: 1 } });
    expect(settled.modifiedCount).toBe(1);
  });

  it("updates subdocuments by position with their timestamps", async () => {
    const Turn = connection.model("Turn", turnSchema);
    const turn = await Turn.create({ session: "s3", parts: [{ text: "a" }, { text: "b" }] });
    const id = turn.parts[1]?.get("_id");
    await Turn.updateOne({ _id: turn._id, "parts._id": id }, { $set: { "parts.$.text": "B" } });
    const after = await Turn.findById(turn._id);
    expect(after?.parts.map(({ text }) => text)).toEqual(["a", "B"]);
  });

  it("populates, streams and counts", async () => {
    const Owner = connection.model("Owner", new Schema({ name: String }));
    const Thing = connection.model(
      "Thing",
      new Schema({ owner: { type: Schema.Types.ObjectId, ref: "Owner" }, n: Number }),
    );
    const owner = await Owner.create({ name: "o" });
    await Thing.insertMany(Array.from({ length: 250 }, (_, n) => ({ owner: owner._id, n })));
    const [thing] = await Thing.find({ n: 5 }).populate("owner");
    expect(thing?.owner).toMatchObject({ name: "o" });
    let seen = 0;
    for await (const _ of Thing.find({ n: { $gte: 50 } }).cursor()) {
      seen += 1;
    }
    expect(seen).toBe(200);
    expect(await Thing.countDocuments({ n: { $lt: 10 } })).toBe(10);
    const result = await Thing.bulkWrite([
      { updateMany: { filter: { n: { $lt: 5 } }, update: { $set: { n: -1 } } } },
      { deleteOne: { filter: { n: 6 } } },
    ]);
    expect(result).toMatchObject({ modifiedCount: 5, deletedCount: 1 });
  });
});
