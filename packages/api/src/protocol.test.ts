import { describe, expect, it } from "vitest";
import { agreeOnProtocol } from "./protocol.ts";

describe("the protocol version", () => {
  const own = { version: 5, oldest: 3 };

  it("serves older and newer peers that can still talk, with the lower version", () => {
    expect(agreeOnProtocol({ version: 3, oldest: 1 }, own)).toBe(3);
    expect(agreeOnProtocol({ version: 5, oldest: 5 }, own)).toBe(5);
    expect(agreeOnProtocol({ version: 9, oldest: 4 }, own)).toBe(5);
  });

  it("refuses a peer that is too old or too new, and says which side to update", () => {
    expect(() => agreeOnProtocol({ version: 2, oldest: 1 }, own)).toThrow(/Update the client/);
    expect(() => agreeOnProtocol({ version: 9, oldest: 6 }, own)).toThrow(/Update the server/);
  });
});
