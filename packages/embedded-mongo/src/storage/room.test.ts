import { describe, expect, it } from "vitest";
import { Room } from "./room.ts";

const megabyte = 1024 * 1024;

function roomOf({ disk, file = 0 }: { disk: number; file?: number }) {
  const free = { disk, file };
  const told: string[] = [];
  const room = new Room(
    "/data",
    () => free.file,
    ({ message }) => told.push(message),
    () => free.disk,
  );
  return { room, free, told };
}

describe("the room on a disk", () => {
  it("is refused before the disk is full, and given again when there is room", () => {
    const { room, free, told } = roomOf({ disk: 6 * megabyte });
    room.claim(1000);
    free.disk = 4 * megabyte;
    room.measureAgain();
    expect(() => room.claim(1000)).toThrow(/could not be stored: the disk .*\/data is full/);
    expect(() => room.claim(1000)).toThrow(/is full/);
    expect(told).toHaveLength(1);
    free.disk = 6 * megabyte;
    room.claim(1000);
    free.disk = 0;
    room.measureAgain();
    expect(() => room.claim(1000)).toThrow(/is full/);
    expect(told).toHaveLength(2);
  });

  it("counts what one write claims step by step", () => {
    const { room } = roomOf({ disk: 8 * megabyte });
    room.claim(megabyte);
    expect(() => {
      for (let i = 0; i < 10; i += 1) {
        room.claim(3 * megabyte);
      }
    }).toThrow(/is full/);
  });

  it("is found in the file where documents were deleted", () => {
    const { room, free } = roomOf({ disk: megabyte });
    expect(() => room.claim(1000)).toThrow(/is full/);
    free.file = 2 * megabyte;
    room.claim(1000);
  });

  it("is asked for before a store is opened", () => {
    expect(() => roomOf({ disk: 100_000 }).room.checkStart()).toThrow(
      /^The disk of the data folder \/data is full: make room, then start again/,
    );
    roomOf({ disk: 2 * megabyte }).room.checkStart();
  });

  it("gives a sentence for what the store fails with, and a client's own error as it is", () => {
    const { room } = roomOf({ disk: megabyte });
    for (const code of [5, 27, 28]) {
      const failure = room.failureOf(Object.assign(new Error("raw"), { code }));
      expect(failure).toMatchObject({ code: 14031 });
    }
    const damaged = Object.assign(new Error("MDB_CORRUPTED"), { code: -30796 });
    expect(room.failureOf(damaged)).toMatchObject({ message: expect.stringContaining("/data") });
    const own = new TypeError("no");
    expect(room.failureOf(own)).toBe(own);
  });
});
