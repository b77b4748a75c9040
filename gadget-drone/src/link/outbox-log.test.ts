import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId, type TurnEvent, TurnId } from "@gadget/api";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DiskLog, readTails } from "./outbox-log.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gadget-log-"));
});
afterEach(() => rm(folder, { recursive: true }));

const turnId = newId(TurnId);
const event = (seq: number): TurnEvent => ({
  turnId,
  seq,
  epoch: 2,
  at: "2026-01-01T00:00:00.000Z",
  type: "notice",
  level: "info",
  text: `number ${seq}`,
});
const line = (seq: number) => JSON.stringify({ event: event(seq) });
const fail = (error: unknown) => expect.unreachable(String(error));
const open = () => new DiskLog(folder, { turnId, epoch: 2, nextSeq: 5 }, fail);

describe("DiskLog", () => {
  it("gives back what it was given, to a later process", async () => {
    const log = open();
    log.append([line(5), line(6)]);
    log.complete({ success: true, message: "aborted" });
    await log.written();
    expect(await readTails(folder)).toEqual([
      {
        turnId,
        epoch: 2,
        nextSeq: 7,
        events: [event(5), event(6)],
        completion: { success: true, message: "aborted" },
      },
    ]);
    const [name = ""] = await readdir(folder);
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  });

  it("a line that a crash cut in half ends what is known", async () => {
    await writeFile(join(folder, `${turnId}.2.jsonl`), `{"nextSeq":5}\n${line(5)}\n{"event":{"tur`);
    expect(await readTails(folder)).toMatchObject([{ nextSeq: 6, events: [{ seq: 5 }] }]);
  });

  it("A35 a gap that a full disk left ends what is known, a completion behind it too", async () => {
    const text = [`{"nextSeq":5}`, line(5), line(8), `{"completion":{"success":true}}`].join("\n");
    await writeFile(join(folder, `${turnId}.2.jsonl`), text);
    const [tail] = await readTails(folder);
    expect(tail).toMatchObject({ nextSeq: 6, events: [{ seq: 5 }] });
    expect(tail?.completion).toBeUndefined();
  });

  it("knows of an order that was taken and has said nothing, and removes what is no log", async () => {
    await open().written();
    await writeFile(join(folder, "other"), "?");
    expect(await readTails(folder)).toMatchObject([{ turnId, nextSeq: 5, events: [] }]);
    expect(await readdir(folder)).toHaveLength(1);
  });

  it("does not grow for ever, and is gone at the end", async () => {
    const log = open();
    for (let seq = 5; seq < 3_005; seq++) {
      log.append([line(seq)]);
    }
    log.forget(3_005);
    log.append([line(3_005)]);
    await log.written();
    expect(await readTails(folder)).toMatchObject([{ nextSeq: 3_006, events: [{ seq: 3_005 }] }]);
    await log.remove();
    expect(await readdir(folder)).toEqual([]);
  });
});
