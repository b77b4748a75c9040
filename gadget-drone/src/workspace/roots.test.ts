import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Roots } from "./roots.ts";

let base: string;
let roots: Roots;

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "gadget-roots-")));
  for (const folder of ["home/code/.git", "home/.ssh", "home-evil", "srv/.hidden", "outside"]) {
    await mkdir(join(base, folder), { recursive: true });
  }
  await symlink(join(base, "outside"), join(base, "home/way-out"));
  await symlink(join(base, "home/.ssh"), join(base, "home/keys"));
  await symlink(join(base, "home/code"), join(base, "srv/way-in"));
  roots = await Roots.open(join(base, "workspaces"), [
    { path: join(base, "home"), dotFolders: false },
    { path: join(base, "srv"), dotFolders: true },
    { path: join(base, "never-made"), dotFolders: true },
  ]);
});
afterAll(() => rm(base, { recursive: true, force: true }));

describe("a folder may be opened", () => {
  it.each([
    ["home", "home"],
    ["home/code", "home/code"],
    ["srv/.hidden", "srv/.hidden"],
    ["srv/way-in", "home/code"],
    ["workspaces", "workspaces"],
  ])("%s", async (path, real) => {
    expect(await roots.folder(join(base, path))).toBe(join(base, real));
  });
});

describe("a folder may not be opened", () => {
  it.each([
    ["home/.ssh", "invalid"],
    ["home/code/.git", "invalid"],
    ["home/keys", "invalid"],
    ["home/way-out", "invalid"],
    ["home-evil", "invalid"],
    ["home/../outside", "invalid"],
    ["home/none", "not_found"],
    ["home/co\0de", "invalid"],
  ])("%j", async (path, code) => {
    await expect(roots.folder(`${base}/${path}`)).rejects.toMatchObject({ code });
  });
});

it("names each folder once, also where a root is the workspaces folder", async () => {
  const workspaces = join(base, "workspaces");
  const same = await Roots.open(workspaces, [{ path: workspaces, dotFolders: false }]);
  expect(same.paths).toEqual([workspaces]);
});

it("says which folders may be, and how to allow more", async () => {
  const refused = roots.folder("/etc");
  await expect(refused).rejects.toThrow(`${join(base, "srv")}, ${join(base, "workspaces")}`);
  await expect(refused).rejects.toThrow("GADGET_ROOTS");
});
