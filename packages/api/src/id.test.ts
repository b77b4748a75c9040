import { describe, expect, it } from "vitest";
import { newId, TurnId } from "./id.ts";

describe("ids", () => {
  it("are random, and accepted by their own schema", () => {
    const ids = new Set(Array.from({ length: 1_000 }, () => newId(TurnId)));
    expect(ids.size).toBe(1_000);
    for (const id of ids) {
      expect(TurnId.safeParse(id).success).toBe(true);
    }
  });

  it("accept a UUID made by a client, and nothing that could be an operator or a path", () => {
    expect(TurnId.safeParse("0e3f2a1c-6a58-4e3e-9a53-1c0f3c1b2d4e").success).toBe(true);
    for (const value of [
      "",
      "short",
      "a/../../b/c",
      "$ne:null",
      { $ne: "" },
      ["abcdefgh"],
      12345678,
    ]) {
      expect(TurnId.safeParse(value).success).toBe(false);
    }
  });
});
