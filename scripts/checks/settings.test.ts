import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { settings, settingsPage } from "../../packages/api/src/settings.ts";
import { root } from "../shared/root.mjs";
import { isTest, sourceFiles } from "../shared/source-files.mjs";

/** What a program is told by the one that starts it, and what every program of a system knows. */
const notSettings = new Set([
  "GADGET_LAUNCHER",
  "GADGET_VERSION",
  "CI",
  "DEBIAN_FRONTEND",
  "HOME",
  "INIT_CWD",
  "LANG",
  "PATH",
  "SSH_AUTH_SOCK",
  "TERM",
]);

/** The variables that a source reads: `env.NAME`, `env["NAME"]`, `text("NAME")`, `{ NAME } = process.env`. */
function variablesIn(source: string): string[] {
  const taken = [...source.matchAll(/\{([^{}]*)\} = process\.env\b/g)].flatMap(([, names]) =>
    (names ?? "").split(",").map((name) => name.trim()),
  );
  const read = source.matchAll(
    /(?:\benv(?:ironment)?(?:\.|\[")|\b(?:text|optional|list|proxies|number|url|oneOf)\(")([A-Z][A-Z0-9_]+)\b/g,
  );
  return [...taken, ...[...read].map(([, name]) => name ?? "")].filter((name) => name !== "");
}

const files = sourceFiles(root).filter(
  (path) => /(?:^|\/)src\/.*\.ts$|^scripts\/.*\.mjs$/.test(path) && !isTest(path),
);
const sources = files
  .filter((path) => path !== "packages/api/src/settings.ts")
  .map((path) => ({ path, source: readFileSync(join(root, path), "utf8") }));

describe("the settings", () => {
  it("stand in docs/settings.md as --help lists them", async () => {
    await expect(settingsPage()).toMatchFileSnapshot("../../docs/settings.md");
  });

  it("are all that a source reads", () => {
    const read = sources.flatMap(({ path, source }) =>
      variablesIn(source).map((name) => ({ path, name })),
    );
    expect(read.length).toBeGreaterThan(30);
    const unknown = read.filter(
      ({ name }) => !Object.hasOwn(settings, name) && !notSettings.has(name),
    );
    expect(unknown).toEqual([]);
  });

  it("are read by somebody", () => {
    // Proxies are named in lower case too.
    const all = sources.map(({ source }) => source.toUpperCase()).join("\n");
    const unread = Object.keys(settings).filter((name) => !all.includes(name));
    expect(unread).toEqual([]);
  });

  it("would be missed when a source read another one", () => {
    const source = 'const { HOME, A_NEW } = process.env; env["B_NEW"]; env.C_NEW; text("D_NEW");';
    expect(variablesIn(source)).toEqual(["HOME", "A_NEW", "B_NEW", "C_NEW", "D_NEW"]);
  });
});
