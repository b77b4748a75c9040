import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plainCommands } from "./plain-commands.ts";

describe("plainCommands", () => {
  it.each<[string, string[][]]>([
    ["ls -la src", [["ls", "-la", "src"]]],
    ["\tls   a ", [["ls", "a"]]],
    ["ls 'a b' \"c d\"e", [["ls", "a b", "c de"]]],
    ["ls ''", [["ls", ""]]],
    ["ls a && git status; echo x | ls", [["ls", "a"], ["git", "status"], ["echo", "x"], ["ls"]]],
    ["git log HEAD~2", [["git", "log", "HEAD~2"]]],
  ])("of %j", (line, commands) => expect(plainCommands(line)).toEqual(commands));

  it.each([
    "",
    "ls;",
    "&& ls",
    "ls &",
    "ls & ls",
    "ls |& ls",
    "case x in x) ls ;; esac",
    "ls\nls",
    "ls \\\n-a",
    "ls\r",
    "ls # x",
    "ls > x",
    "ls < x",
    "ls <<x",
    "ls () ls",
    "(ls)",
    "{ ls",
    "! ls",
    "ls $x",
    "ls `x`",
    'ls "$x"',
    'ls "`x`"',
    'ls "\\a"',
    "ls $'a'",
    "ls *",
    "ls ?",
    "ls [a]",
    "ls {a,b}",
    "ls ~",
    "ls a=~",
    "ls a:~b",
    "X=1 ls",
    "ls 'a",
    'ls "a',
    "ls\u00a0a",
    "ls\u2028ls",
    "ls 'a\nb'",
    "lş",
    "if ls; then ls; fi",
    "ls; time ls",
  ])("knows nothing for certain of %j", (line) => expect(plainCommands(line)).toBeUndefined());
});

it("A54 a long line is read once", () => {
  const begun = performance.now();
  for (const piece of ["a~", "ls;", "'a' ", "ls && ", "a/../", "1"]) {
    plainCommands(piece.repeat(2_000));
    expect(plainCommands(piece.repeat(200_000))).toBeUndefined();
  }
  expect(performance.now() - begun).toBeLessThan(10_000);
});

describe.each(["dash", "bash", "sh"])("%s", (shell) => {
  let folder: string;
  let programs: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "gadget-words-"));
    programs = join(folder, "bin");
    mkdirSync(programs);
    const text = '#!/bin/sh\n{ printf "%s\\0" "$0" "$@"; printf "\\n"; } >> "$RAN"\n';
    for (const name of ["ls", "git", "evil", "if", "x"]) {
      writeFileSync(join(programs, name), text, { mode: 0o755 });
    }
    writeFileSync(join(folder, "--evil"), "");
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function ran(line: string): string[][] {
    const file = join(folder, "ran");
    writeFileSync(file, "");
    const found = (process.env["PATH"] ?? "").split(delimiter).map((at) => join(at, shell));
    const env = { PATH: programs, RAN: file, HOME: folder };
    for (const path of found) {
      try {
        execFileSync(path, ["-c", line], { cwd: folder, env, stdio: "ignore", timeout: 10_000 });
        break;
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") {
          continue;
        }
        break;
      }
    }
    const lines = readFileSync(file, "utf8").split("\0\n").slice(0, -1);
    return lines.map((each) => {
      const [program = "", ...words] = each.split("\0");
      return [program.slice(programs.length + 1), ...words];
    });
  }

  const pieces = fc.constantFrom(
    ..."ls|git|evil|if|x|a|-l| |\t|;|&&|&|\n|'|\"|\\|$|`|(|)|{|}|!|#|*|?|~|=|<|>|\u00a0|$(|${|$((|\\\n|<<x\n|--| && |'a b'|;;| ls|ls |ls () |\r|\u2003|é|-|x=".split(
      "|",
    ),
    "|",
    "||",
  );
  const lines = fc
    .array(pieces, { minLength: 1, maxLength: 8 })
    .map((all) => `ls ${all.join("")}`)
    .filter((line) => plainCommands(line) !== undefined);

  it("runs exactly the words that were read, and nothing else", () => {
    fc.assert(
      fc.property(lines, (line) => {
        const read = (plainCommands(line) ?? []).map((words) => JSON.stringify(words));
        const really = ran(line).map((words) => JSON.stringify(words));
        for (const words of really) {
          expect(read).toContain(words);
        }
        // The first one always runs.
        expect(really).toContain(read[0]);
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});
