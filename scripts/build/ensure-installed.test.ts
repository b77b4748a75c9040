import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixtureTree } from "../fixture-tree.ts";
import { ensureInstalled } from "./ensure-installed.mjs";

const lockfile = (version: string) =>
  JSON.stringify({
    packages: {
      "": { name: "x" },
      "node_modules/a": { version },
      "node_modules/only-elsewhere": { version: "1.0.0", optional: true },
    },
  });

/** Stands in for `npm ci`: counts its calls and leaves behind what npm would. */
function fakeNpm(root: string) {
  const calls: string[] = [];
  return {
    calls,
    npmCi: async () => {
      calls.push("npm ci");
      mkdirSync(join(root, "node_modules/a"), { recursive: true });
      writeFileSync(
        join(root, "node_modules/.package-lock.json"),
        readFileSync(join(root, "package-lock.json")),
      );
    },
  };
}

describe("ensureInstalled", () => {
  it("installs what is missing once, and again when the lockfile changes", async () => {
    const root = fixtureTree({ "package-lock.json": lockfile("1.0.0") });
    const npm = fakeNpm(root);
    await ensureInstalled(root, npm);
    await ensureInstalled(root, npm);
    expect(npm.calls).toHaveLength(1);
    writeFileSync(join(root, "package-lock.json"), lockfile("1.0.1"));
    await ensureInstalled(root, npm);
    expect(npm.calls).toHaveLength(2);
  });

  it("accepts what somebody installed by hand", async () => {
    const root = fixtureTree({
      "package-lock.json": lockfile("1.0.0"),
      "node_modules/a/index.js": "",
      "node_modules/.package-lock.json": lockfile("1.0.0"),
    });
    const npm = fakeNpm(root);
    await ensureInstalled(root, npm);
    expect(npm.calls).toEqual([]);
  });

  it.each([
    ["has another version", { "node_modules/a/index.js": "" }, "0.9.0"],
    ["lacks a package's folder", { "node_modules/b/index.js": "" }, "1.0.0"],
  ])("installs when node_modules %s", async (_what, files, installed) => {
    const root = fixtureTree({
      "package-lock.json": lockfile("1.0.0"),
      "node_modules/.package-lock.json": lockfile(installed),
      ...files,
    });
    const npm = fakeNpm(root);
    await ensureInstalled(root, npm);
    expect(npm.calls).toHaveLength(1);
  });

  it("does not install twice when two commands start at once", async () => {
    const root = fixtureTree({ "package-lock.json": lockfile("1.0.0") });
    const npm = fakeNpm(root);
    await Promise.all([ensureInstalled(root, npm), ensureInstalled(root, npm)]);
    expect(npm.calls).toHaveLength(1);
  });

  it("tries again after an install that failed", async () => {
    const root = fixtureTree({ "package-lock.json": lockfile("1.0.0") });
    const failing = { npmCi: () => Promise.reject(new Error("no network")) };
    await expect(ensureInstalled(root, failing)).rejects.toThrow("no network");
    const npm = fakeNpm(root);
    await ensureInstalled(root, npm);
    expect(npm.calls).toHaveLength(1);
  });
});
