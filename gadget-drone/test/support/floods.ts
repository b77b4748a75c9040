import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A tool and its arguments, as a model writes them. */
export type Call = [name: string, argumentsText: string];
const call = (name: string, input: object): Call => [name, JSON.stringify(input)];

export const stars = `${"*a".repeat(20)}*b`;
const longName = "a".repeat(200);
export const nested = (depth: number) => `{"x":${"[".repeat(depth)}${"]".repeat(depth)}}`;
const lines = (word: string, count: number) =>
  Array.from({ length: count }, (_, line) => `${word}${line % 7}\n`).join("");
interface Place {
  /** An empty folder, the workspace. */
  at: string;
  /** A server whose pages are the mark in their address, for ever. */
  site: string;
}

/** What makes the drone busy: the files of a workspace, and the calls that a model makes in it. */
export const floods: [name: string, prepare: (flood: Place) => Promise<Call[]>][] = [
  [
    "a glob of stars",
    async ({ at }) => {
      await writeFile(join(at, longName), "needle\n");
      return [call("glob", { pattern: stars }), call("grep", { pattern: "needle", glob: stars })];
    },
  ],
  [
    "ignore rules of stars",
    async ({ at }) => {
      await writeFile(join(at, longName), "needle\n");
      await writeFile(join(at, ".gitignore"), `${stars}\n`.repeat(3_000));
      return [call("glob", { pattern: "*" })];
    },
  ],
  [
    "ignore files that are devices",
    async ({ at }) => {
      for (const [name, device] of [
        ["p", "/dev/ptmx"],
        ["z", "/dev/zero"],
      ] as const) {
        await mkdir(join(at, name));
        await symlink(device, join(at, name, ".gitignore"));
      }
      await mkdir(join(at, "f"));
      execFileSync("mkfifo", [join(at, "f", ".gitignore"), join(at, "fifo")]);
      const search = call("grep", { pattern: "needle" });
      const looks = Array.from({ length: 4 }, () => call("glob", { pattern: "*" }));
      return [...looks, search, call("grep", { pattern: "needle", path: "fifo" })];
    },
  ],
  [
    "arguments that are nested or endless",
    () => {
      const many = `{"items":[${"1,".repeat(200_000)}1]}`;
      const depths = [65, 200, 5_000, 200_000].map((depth): Call => ["todo", nested(depth)]);
      return Promise.resolve([
        ...depths,
        ["todo", many],
        ["write_file", `{"x":"${"y".repeat(1_100_000)}`],
      ]);
    },
  ],
  [
    "pages of marks",
    ({ site }) =>
      Promise.resolve(
        ["<", "<br", '<a href="http:', "<script", "&lt"].map((mark) =>
          call("web_fetch", { url: `${site}?${encodeURIComponent(mark)}` }),
        ),
      ),
  ],
  [
    "diffs of files without an end",
    async ({ at }) => {
      await writeFile(join(at, "even"), lines("a\nb\nc", 100_000));
      await writeFile(join(at, "odd"), "\n".repeat(1_000_000));
      return ["even", "odd", "even"].map((path, word) =>
        call("write_file", { path, content: lines(`${word}\nb\nc`, 60_000) }),
      );
    },
  ],
  [
    "a piece of text that nearly stands everywhere",
    async ({ at }) => {
      await writeFile(join(at, "same"), "a".repeat(9_000_000));
      await writeFile(join(at, "empty"), "\n".repeat(9_000_000));
      const edit = (path: string, oldText: string, replaceAll: boolean) =>
        call("edit_file", { path, oldText, newText: "c".repeat(100_000), replaceAll });
      const nearly = edit("same", `b${"a".repeat(300_000)}`, false);
      return [
        nearly,
        edit("same", "a", true),
        edit("empty", "\n", false),
        edit("empty", "x", false),
      ];
    },
  ],
];

/** A flood of its own, because it takes its time to make: more names than are looked at. */
export function manyNames(at: string): Call[] {
  execFileSync("sh", ["-c", "seq 20100 | xargs touch"], { cwd: at });
  return Array.from({ length: 20 }, () => call("list_files", {}));
}
