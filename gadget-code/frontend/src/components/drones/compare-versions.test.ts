import { describe, expect, it } from "vitest";
import { compareVersions } from "./compare-versions.ts";

describe("compareVersions", () => {
  it("orders versions as people count, and a pre-release before its release", () => {
    const ordered = ["0.2.0", "0.9.1", "0.10.0-rc.2", "0.10.0-rc.10", "0.10.0", "1.0", "1.0.1"];
    const shuffled = ["0.10.0", "1.0.1", "0.2.0", "0.10.0-rc.10", "1.0", "0.9.1", "0.10.0-rc.2"];
    expect(shuffled.toSorted(compareVersions)).toEqual(ordered);
  });

  it("takes a build's mark and a missing zero for no difference", () => {
    expect(compareVersions("1.2.0+abc", "1.2")).toBe(0);
  });
});
