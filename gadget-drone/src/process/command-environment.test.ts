import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { commandEnvironment, userPath } from "./command-environment.ts";

it.runIf(process.platform === "linux")("a command that is told to use colours does", () => {
  const env = commandEnvironment({ PATH: process.env["PATH"] }, []);
  const listing = execFileSync("ls", ["--color=always", "/"], { env, encoding: "utf8" });
  expect(listing).toContain("\u001b[");
  expect(execFileSync("ls", ["/"], { env, encoding: "utf8" })).not.toContain("\u001b[");
});

describe("commandEnvironment", () => {
  it("adds its git setting to those that the project brings", () => {
    const own = {
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "user.name",
      GIT_CONFIG_VALUE_0: "Ada",
    };
    const alone = {
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "safe.bareRepository",
      GIT_CONFIG_VALUE_0: "explicit",
    };
    expect(commandEnvironment(own, [])).toMatchObject(alone);
    expect(commandEnvironment(own, ["GIT_CONFIG_COUNT"])).toMatchObject({
      ...own,
      GIT_CONFIG_COUNT: "2",
      GIT_CONFIG_KEY_1: "safe.bareRepository",
      GIT_CONFIG_VALUE_1: "explicit",
    });
  });

  it.each(["XDG_RUNTIME_DIR", "BASH_ENV", "BASH_FUNC_ls%%", "ENV", "LD_PRELOAD", "GADGET_X"])(
    "never holds %s",
    (name) => expect(commandEnvironment({ [name]: "x" }, [name])).not.toHaveProperty([name]),
  );
});

describe("userPath", () => {
  it.each([
    ["/usr/bin:/bin", "/usr/bin:/bin"],
    ["/a/node_modules/.bin:/npm/node-gyp-bin:/usr/bin", "/usr/bin"],
    ["/b/.bin:/npm/node-gyp-bin:/a/.bin:/npm/node-gyp-bin:/usr/bin", "/usr/bin"],
    ["/srv/own/node_modules/.bin:/usr/bin", "/srv/own/node_modules/.bin:/usr/bin"],
    [".:/usr/bin::bin:", "/usr/bin"],
  ])("of %s is %s", (path, expected) => expect(userPath(path)).toBe(expected));
});
