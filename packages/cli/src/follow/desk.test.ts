import { describe, expect, it } from "vitest";
import { decisionOf } from "./desk.ts";

describe("decisionOf", () => {
  it("reads yes, session, no, and no with a reason", () => {
    expect(decisionOf("y")).toEqual({ decision: "once" });
    expect(decisionOf(" YES ")).toEqual({ decision: "once" });
    expect(decisionOf("s")).toEqual({ decision: "session" });
    expect(decisionOf("n")).toEqual({ decision: "deny" });
    expect(decisionOf("no, use npm ci")).toEqual({ decision: "deny", reason: "use npm ci" });
  });

  it("takes nothing else for a decision", () => {
    for (const typed of ["", "yolo", "ok"]) {
      expect(decisionOf(typed)).toBeUndefined();
    }
  });
});
