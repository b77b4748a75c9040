import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSettings } from "./settings.ts";

const read = (args: string[], env: Record<string, string> = {}) => readSettings(args, env, "1.2.3");

describe("readSettings", () => {
  it("has defaults for everything", () => {
    expect(read([])).toMatchObject({
      server: undefined,
      dataDir: join(homedir(), ".gadget", "drone"),
      workspaces: join(homedir(), ".gadget", "drone", "workspaces"),
      capacity: 4,
      roots: [],
      insecure: false,
    });
  });

  it("opens the home folder, but no dot-folders, under the launcher only", () => {
    expect(read([], { GADGET_LAUNCHER: "1" })?.roots).toEqual([
      { path: homedir(), dotFolders: false },
    ]);
    expect(read([], { GADGET_ROOTS: "/srv:/opt/space" })?.roots).toEqual([
      { path: "/srv", dotFolders: true },
      { path: "/opt/space", dotFolders: true },
    ]);
  });

  it.each([
    "http://127.0.0.1:4180",
    "http://localhost",
    "http://[::1]:1",
    "https://gadget.example",
  ])("takes %s", (server) => expect(read(["--server", server])?.server).toBe(server));

  it.each(["http://gadget.example", "http://localhost.evil.example", "http://1270.0.0.1.example"])(
    "refuses %s without --insecure",
    (server) => {
      expect(() => read(["--server", server])).toThrow(/--insecure/);
      expect(read(["--server", server, "--insecure"])?.server).toBe(server);
    },
  );

  it.each([
    [["--server", "gadget"], {}, /no address/],
    [["--server", "file:///etc"], {}, /no address/],
    [["--capacity", "0"], {}, /--capacity/],
    [["extra"], {}, /--help/],
    [[], { GADGET_ROOTS: "relative" }, /GADGET_ROOTS/],
    [[], { GADGET_LOG_LEVEL: "loud" }, /GADGET_LOG_LEVEL/],
    [[], { GADGET_SUPERVISOR: "none" }, /GADGET_SUPERVISOR/],
  ])("names what is wrong: %j %j", (args, env, message) => {
    expect(() => read(args, env)).toThrow(message);
  });
});
