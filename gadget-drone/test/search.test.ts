import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findProgram } from "../src/process/find-program.ts";
import { barePath } from "./support/bare-path.ts";
import { TestDrone } from "./support/test-drone.ts";

type Call = [name: string, input: object];

const path = process.env["PATH"] ?? "";
const hasRipgrep = (await findProgram("rg", path)) !== undefined;

describe.each(["ripgrep", "a thread"])("a search by %s", (engine) => {
  const isMissing = engine === "ripgrep" && !hasRipgrep;
  let test: TestDrone;
  let programs: string;

  beforeAll(async () => {
    programs = await mkdtemp(join(tmpdir(), "gadget-programs-"));
    process.env["PATH"] = engine === "ripgrep" ? path : await barePath(programs, "rg");
    test = await TestDrone.start();
  });
  afterAll(async () => {
    await test.stop();
    process.env["PATH"] = path;
    await rm(programs, { recursive: true, force: true });
  });

  /** A workspace that lies in a folder of its own, so that there is something above it. */
  async function place(files: Record<string, string>) {
    const above = await mkdtemp(join(test.folder, "above-"));
    const directory = join(above, "workspace");
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, name)), { recursive: true });
      await writeFile(join(directory, name), text);
    }
    const source = { kind: "directory" as const, directory };
    return { above, directory, workspace: { source, environment: [] } };
  }

  async function run(workspace: Awaited<ReturnType<typeof place>>["workspace"], calls: Call[]) {
    test.model.answerWithTools(...calls);
    const order = test.order({ workspace });
    await test.server.submit(order);
    const end = await test.server.completed(order.turnId, 60_000);
    expect(end).toMatchObject({ success: true });
    const ends = test.server.eventsOf(order.turnId, "tool:end");
    const starts = test.server.eventsOf(order.turnId, "tool:start");
    return starts.map(({ callId }) => ends.find((end) => end.callId === callId)?.text ?? "");
  }

  const grep = (more: object = {}): Call => ["grep", { pattern: "needle", ...more }];

  it("A54 is not held up by rules without an end: above its path, above the workspace, of other names", async ({
    skip,
  }) => {
    if (isMissing) {
      return skip("ripgrep is not installed on this machine");
    }
    const files = { "src/deep/a.ts": "needle\n", ".git/HEAD": "ref: x\n", "node_modules/m/a": "" };
    for (const at of [
      ["..", ".gitignore"],
      ["..", ".rgignore"],
      ["..", ".ignore"],
      [".gitignore"],
      [".rgignore"],
      [".ignore"],
      [".git", "info", "exclude"],
      ["..", ".git", "info", "exclude"],
      ["src", ".gitignore"],
      ["src", ".git"],
      ["node_modules", "m", ".gitignore"],
    ]) {
      const { directory, workspace } = await place(files);
      const pipe = join(directory, ...at);
      await mkdir(dirname(pipe), { recursive: true });
      execFileSync("mkfifo", [pipe]);
      const texts = await run(workspace, [
        grep({ path: "src/deep" }),
        grep({ path: "src/deep/a.ts" }),
        grep({ path: "node_modules/m" }),
      ]);
      // Which rules were not used may be said below.
      const lines = texts.map((text) => text.split("\n")[0]);
      const expected = ["src/deep/a.ts:1:needle", "src/deep/a.ts:1:needle", "Nothing matches."];
      expect({ at, lines }).toEqual({ at, lines: expected });
    }
  });

  it("obeys the rules above its path that are the workspace's, and no others", async ({ skip }) => {
    if (isMissing) {
      return skip("ripgrep is not installed on this machine");
    }
    const { above, workspace } = await place({
      ".gitignore": "*.log\n/src/anchored\nsrc/deep/named\n!src/deep/kept.log\n",
      ".ignore": "*.ts\n",
      ".rgignore": "*.ts\n",
      "src/a.ts": "needle\n",
      "src/a.log": "needle\n",
      "src/anchored": "needle\n",
      "src/deep/named": "needle\n",
      "src/deep/kept.log": "needle\n",
      "own/.gitignore": "*.ts\n!b.ts\n",
      "own/deep/a.ts": "needle\n",
      "own/deep/b.ts": "needle\n",
      "own/deep/c.log": "needle\n",
      "own/.svn/x": "needle\n",
    });
    await writeFile(join(above, ".gitignore"), "a.ts\n");
    const texts = await run(workspace, [
      grep({ path: "src" }),
      grep({ path: "src/deep" }),
      grep({ path: "own/deep" }),
      grep(),
    ]);
    const src = ["src/a.ts:1:needle", "src/deep/kept.log:1:needle"];
    const own = "own/deep/b.ts:1:needle";
    expect(texts).toEqual([src.join("\n"), src[1], own, [own, ...src].join("\n")]);
  });

  it("A54 says that a pipe is no file to search in", async ({ skip }) => {
    if (isMissing) {
      return skip("ripgrep is not installed on this machine");
    }
    const { directory, workspace } = await place({ "src/a": "" });
    execFileSync("mkfifo", [join(directory, "src", "pipe")]);
    const texts = await run(workspace, [grep({ path: "src/pipe" })]);
    expect(texts).toEqual(['"src/pipe" is no ordinary file and no folder.']);
  });

  it("A54 shows nothing from outside while a file changes into links and pipes, and is not held by them", async ({
    skip,
  }) => {
    if (isMissing) {
      return skip("ripgrep is not installed on this machine");
    }
    const { above, directory, workspace } = await place({ "src/file": "needle\n" });
    await writeFile(join(above, "secret"), "needle of a secret\n");
    const swapper = spawn("perl", ["-e", swap], { cwd: directory });
    try {
      await once(swapper.stdout, "data");
      const calls = Array.from({ length: 60 }, (_, index) =>
        grep(index % 2 === 0 ? {} : { path: "src" }),
      );
      const texts = await run(workspace, calls);
      expect(texts.filter((text) => text.includes("secret"))).toEqual([]);
    } finally {
      swapper.kill("SIGKILL");
      await once(swapper, "exit");
    }
    await rm(join(directory, "src", "file"), { force: true });
    await writeFile(join(directory, "src", "file"), "needle\n");
    expect(await run(workspace, [grep()])).toEqual(["src/file:1:needle"]);
  }, 120_000);
});

/** Puts a file, a link to another one, to a device, and a pipe in one place, again and again. */
const swap = `use POSIX "mkfifo";
  $| = 1;
  for (my $round = 0; ; $round++) {
    open(my $file, ">", "next"); print $file "needle\\n"; close $file; rename "next", "src/file";
    symlink "../../secret", "next"; rename "next", "src/file";
    symlink "/dev/zero", "next"; rename "next", "src/file";
    mkfifo "next", 0600; rename "next", "src/file";
    print "begun\\n" if $round == 1;
  }`;
