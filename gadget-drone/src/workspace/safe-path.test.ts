import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { isInside, safePath } from "./safe-path.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "gadget-path-")));
const folder = join(root, "ws");
mkdirSync(join(folder, "sub"), { recursive: true });
mkdirSync(join(root, "ws-evil"));
writeFileSync(join(folder, "sub", "file"), "");
symlinkSync(join(root, "ws-evil"), join(folder, "out"));
symlinkSync("sub", join(folder, "in"));
symlinkSync(join(root, "nowhere"), join(folder, "broken"));
symlinkSync("loop", join(folder, "loop"));
afterAll(() => rmSync(root, { recursive: true }));

describe("safePath", () => {
  it.each([
    [".", ""],
    ["sub/file", "sub/file"],
    ["in/file", "sub/file"],
    ["new/deep/file", "new/deep/file"],
    ["sub/../sub/file", "sub/file"],
    ["..name", "..name"],
  ])("takes %j", async (path, real) => {
    expect(await safePath(folder, path)).toBe(join(folder, real));
  });

  it("takes an absolute path inside", async () => {
    expect(await safePath(folder, join(folder, "sub"))).toBe(join(folder, "sub"));
  });

  it.each([
    "..",
    "../ws-evil",
    "../ws-evil/new",
    "sub/../../ws-evil",
    "/etc/passwd",
    "out",
    "out/new",
    "in/../../ws-evil",
    "broken",
    "broken/new",
    "loop",
    "sub/file/below",
    "a\0b",
  ])("refuses %j", async (path) => {
    await expect(safePath(folder, path)).rejects.toMatchObject({ code: "invalid" });
  });
});

describe("isInside", () => {
  it("is no prefix of letters", () => {
    expect(isInside("/a/b", "/a/b")).toBe(true);
    expect(isInside("/a/b", "/a/b/c")).toBe(true);
    expect(isInside("/a/b", "/a/bc")).toBe(false);
    expect(isInside("/a/b", "/a/b/..c")).toBe(true);
    expect(isInside("/a/b", "/a")).toBe(false);
  });
});
