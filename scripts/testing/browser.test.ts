import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixtureTree } from "../fixture-tree.ts";
import { findBrowser } from "./browser.mjs";

describe("findBrowser", () => {
  it("takes the one that CHROMIUM_PATH names", async () => {
    const bin = fixtureTree({ chromium: "" });
    expect(await findBrowser({ CHROMIUM_PATH: "/opt/my-chrome", PATH: bin })).toBe(
      "/opt/my-chrome",
    );
  });

  it("finds a system's browser in PATH, in the order of PATH", async () => {
    const first = fixtureTree({ "google-chrome": "" });
    const second = fixtureTree({ chromium: "" });
    const path = ["/nowhere", first, second].join(":");
    expect(await findBrowser({ PATH: path })).toBe(join(first, "google-chrome"));
  });
});
