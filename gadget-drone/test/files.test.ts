import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TurnId, WorkOrder } from "@gadget/api";
import { eventually } from "@gadget/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OrderServer } from "./support/order-server.ts";
import { found, searched, searches } from "./support/searches.ts";
import { onRealServer, startTestDrone, type TestDrone } from "./support/test-drone.ts";

let test: TestDrone<OrderServer>;

beforeAll(async () => {
  test = await startTestDrone();
});
afterAll(() => test.stop());

/** A folder of the user's with the given files, and what an order needs to work in it. */
async function folder(name: string, files: Record<string, string> = {}) {
  const directory = join(test.folder, name);
  await mkdir(directory, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(directory, path, ".."), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  const source = { kind: "directory" as const, directory };
  return { directory, source, workspace: { source, environment: [] } };
}

async function run(fields: Partial<WorkOrder>, ...calls: [string, object][]) {
  test.model.answerWithTools(...calls);
  const order = test.order(fields);
  expect(await test.server.submit(order)).toBe(true);
  const end = await test.server.completed(order.turnId);
  const starts = test.server.eventsOf(order.turnId, "tool:start");
  // Tools that only read run at the same time and may end in any order.
  const ends = starts.flatMap(({ callId }) =>
    test.server.eventsOf(order.turnId, "tool:end").filter((ended) => ended.callId === callId),
  );
  return { order, end, turnId: order.turnId, ends, texts: ends.map(({ text }) => text) };
}

describe("file tools", () => {
  it("read ranges, refuse binaries, and name what is missing", async () => {
    const { workspace } = await folder("reading", { "a.txt": "one\ntwo\nthree\n", b: "x\0y" });
    const { texts, ends } = await run(
      { workspace },
      ["read_file", { path: "a.txt" }],
      ["read_file", { path: "a.txt", startLine: 2, endLine: 2 }],
      ["read_file", { path: "b" }],
      ["read_file", { path: "c" }],
      ["read_file", { path: "a.txt", startLine: "2", endLine: "3" }],
      ["read_file", { path: "a.txt", startLine: 3, endLine: 2 }],
    );
    expect(texts[0]).toBe("1\tone\n2\ttwo\n3\tthree");
    expect(texts[1]).toBe("2\ttwo\n[1 more lines; read on from line 3]");
    expect(texts[2]).toContain("binary");
    expect(texts[3]).toContain('no file "c"');
    expect(texts[4]).toBe("2\ttwo\n3\tthree");
    expect(texts[5]).toBe("startLine 3 is after endLine 2. Give the smaller one first.");
    expect(ends.map(({ outcome }) => outcome)).toEqual([
      "finished",
      "finished",
      "failed",
      "failed",
      "finished",
      "failed",
    ]);
  });

  it("write and edit with a diff, keep the mode, and say the change at once", async () => {
    const { server } = test;
    const { directory, workspace } = await folder("writing", { "run.sh": "echo one\necho two\n" });
    await chmod(join(directory, "run.sh"), 0o755);
    const { ends, turnId } = await run(
      { workspace },
      ["edit_file", { path: "run.sh", oldText: "echo two", newText: "echo three" }],
      ["write_file", { path: "new/deep/file.txt", content: "hello\n" }],
    );
    expect(ends[0]?.diff).toContain("-echo two\n+echo three\n");
    expect(await readFile(join(directory, "run.sh"), "utf8")).toBe("echo one\necho three\n");
    expect((await stat(join(directory, "run.sh"))).mode & 0o777).toBe(0o755);
    expect(await readFile(join(directory, "new/deep/file.txt"), "utf8")).toBe("hello\n");
    expect(server.eventsOf(turnId, "file:changed").map(({ file }) => file)).toEqual([
      { path: "run.sh", change: "modified", added: 1, removed: 1 },
      { path: "new/deep/file.txt", change: "created", added: 1, removed: 0 },
    ]);
    expect((await readdir(directory)).sort()).toEqual(["new", "run.sh"]);
  });

  it("edit says what stands in the way", async () => {
    const { workspace } = await folder("editing", { a: "x = 1\nx = 1\n  y  = 2\n" });
    const edit = (oldText: string): [string, object] => [
      "edit_file",
      { path: "a", oldText, newText: "z" },
    ];
    const { texts } = await run({ workspace }, edit("x = 1"), edit("y = 2\n"), edit("nothing"));
    expect(texts[0]).toMatch(/2 times \(lines 1, 2\)/);
    expect(texts[1]).toMatch(/from line 3 on only its white space differs/);
    expect(texts[2]).toMatch(/does not stand in it/);
  });

  it("stay inside the workspace: dots, siblings, NUL, links old and new", async () => {
    const { directory, workspace } = await folder("inside", { ok: "fine\n" });
    await folder("inside-evil", { secret: "canary-secret\n" });
    await symlink(join(test.folder, "inside-evil"), join(directory, "out"));
    await symlink(join(test.folder, "made-by-link"), join(directory, "dangling"));
    const outside = [
      "../inside-evil/secret",
      "out/secret",
      join(test.folder, "inside-evil/secret"),
    ];
    const { texts, ends } = await run(
      { workspace },
      ...outside.map((path): [string, object] => ["read_file", { path }]),
      ["read_file", { path: "ok\0" }],
      ["list_files", { path: ".." }],
      ["write_file", { path: "out/planted", content: "x" }],
      ["write_file", { path: "dangling", content: "x" }],
      ["write_file", { path: ".git/hooks/post-checkout", content: "x" }],
      ["write_file", { path: ".gadget/rules", content: "x" }],
      ["glob", { pattern: "**/*secret*", path: "out" }],
      ["grep", { pattern: "canary", path: "../inside-evil" }],
    );
    expect(ends.map(({ outcome }) => outcome)).toEqual(ends.map(() => "failed"));
    expect(texts.join("\n")).not.toContain("canary-secret");
    expect(await readdir(join(test.folder, "inside-evil"))).toEqual(["secret"]);
    await expect(stat(join(test.folder, "made-by-link"))).rejects.toMatchObject({ code: "ENOENT" });
    await expect(stat(join(directory, ".git"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("files on their way to their places are nobody's to see, and those of others stay", async () => {
    const { server } = test;
    const name = ".gadget-write-0123456789ab";
    const files = { a: "needle\n", [name]: "needle\n", [`deep/${name}`]: "needle\n" };
    const { directory, source, workspace } = await folder("asides", files);
    const { texts, turnId } = await run(
      { workspace },
      ["list_files", {}],
      ["glob", { pattern: "*" }],
      ["grep", { pattern: "needle" }],
      ["grep", { pattern: "needle", glob: "*" }],
      ["shell", { command: `echo changed > ${name}; echo new > b` }],
    );
    expect(texts.slice(0, 4)).toEqual(["a\ndeep/", "a", "a:1:needle", "a:1:needle"]);
    const changed = server.eventsOf(turnId, "file:changed").map(({ file }) => file.path);
    expect(changed).toEqual(["b"]);
    expect(await readFile(join(directory, name), "utf8")).toBe("changed\n");
    if (onRealServer()) {
      return;
    }
    const read = await server.ask("readWorkspace", [{ source, path: "." }]);
    expect(read.kind === "folder" && read.entries.map((entry) => entry.path)).toEqual([
      "deep",
      "a",
      "b",
    ]);
  });

  it("search skips what git ignores", async () => {
    const { workspace } = await folder("search", searched);
    const { texts } = await run({ workspace }, ...searches);
    expect(texts).toEqual(found);
  });

  it("fetch pages, but none of the drone's own network", async () => {
    const site = createServer((_, response) => response.end("inner-canary"));
    site.listen(0, "127.0.0.1");
    await eventually("it listens", () => site.listening);
    const { port } = site.address() as AddressInfo;
    const fetchIt = (url: string): [string, object] => ["web_fetch", { url }];
    const { texts } = await run(
      {},
      fetchIt(`http://127.0.0.1:${port}/`),
      fetchIt(`http://localhost:${port}/`),
      fetchIt(`http://[::ffff:127.0.0.1]:${port}/`),
      fetchIt("http://169.254.169.254/latest/meta-data"),
      fetchIt("file:///etc/passwd"),
    );
    expect(texts.join("\n")).not.toContain("inner-canary");
    for (const text of texts.slice(0, 4)) {
      expect(text).toMatch(/own network/);
    }
    expect(texts[4]).toMatch(/no http or https address/);
    site.close();
  });
});

/** A repository that would run something at every chance that git gives it. */
async function plantTraps(directory: string, owned: string): Promise<void> {
  const trap = `touch ${owned}`;
  const git = (...args: string[]) => execFileSync("git", args, { cwd: directory });
  git("init", "-q");
  await writeFile(join(directory, "file"), "first\n");
  git("add", ".");
  git("-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "-qm", "First");
  for (const name of ["clean", "smudge", "process"]) {
    git("config", `filter.evil.${name}`, trap);
  }
  git("config", "core.fsmonitor", trap);
  git("config", "diff.external", trap);
  git("config", "diff.evil.textconv", trap);
  await writeFile(join(directory, ".gitattributes"), "* filter=evil diff=evil\n");
  const hooks = ["post-index-change", "pre-commit", "post-checkout", "reference-transaction"];
  for (const name of hooks) {
    await mkdir(join(directory, ".git", "hooks"), { recursive: true });
    const hook = join(directory, ".git", "hooks", name);
    await writeFile(hook, `#!/bin/sh\n${trap}\n`, { mode: 0o755 });
  }
}

/** Every file below the folder, byte for byte. */
async function contents(directory: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) {
      found[path] = (await readFile(path)).toString("base64");
    }
  }
  return found;
}

describe("workspaces", () => {
  it.skipIf(onRealServer())("are the user's folder, an empty one, or the sample", async () => {
    const { server } = test;
    const { texts } = await run(
      { workspace: { source: { kind: "sample" }, directory: "demo", environment: [] } },
      ["list_files", {}],
    );
    expect(texts[0]).toContain("README.md");
    const source = { kind: "sample" as const };
    const shown = await server.ask("readWorkspace", [{ source, directory: "demo", path: "src" }]);
    expect(shown).toMatchObject({ kind: "folder", path: "src" });
    const file = await server.ask("readWorkspace", [
      { source, directory: "demo", path: "README.md" },
    ]);
    expect(file).toMatchObject({ kind: "file", binary: false, cut: false });
    const empty = { source: { kind: "empty" as const }, directory: "other", path: "" };
    await expect(server.ask("readWorkspace", [empty])).rejects.toMatchObject({ code: "not_found" });
    const unused = { source, directory: "unused", path: "README.md" };
    expect(await server.ask("readWorkspace", [unused])).toMatchObject({ kind: "file" });
    for (const path of ["../../data/credential.json", "/etc/passwd", "a\0b"]) {
      const refused = server.ask("readWorkspace", [{ source, directory: "demo", path }]);
      await expect(refused).rejects.toMatchObject({ code: "invalid" });
    }
  });

  it.skipIf(onRealServer()).each([
    [{ kind: "directory" as const, directory: "/etc" }, /not under the folders/],
    [{ kind: "directory" as const, directory: "relative" }, /absolute/],
    [
      { kind: "git" as const, gitUrl: "ext::sh -c touch% /tmp/owned" },
      /no address that can be cloned/,
    ],
    [{ kind: "git" as const, gitUrl: "--upload-pack=x" }, /no address that can be cloned/],
  ])("refuse %j, and the turn ends with the reason", async (source, reason) => {
    const { end } = await run({ workspace: { source, environment: [] } });
    expect(end.success).toBe(false);
    expect(end.message).toMatch(reason);
  });

  it("list folders under the roots only", async () => {
    const { server } = test;
    await folder("listed/child");
    const roots = await server.ask("listFolders", [{}]);
    expect(roots.entries.map(({ path }) => path)).toContain(test.folder);
    const listing = await server.ask("listFolders", [{ path: join(test.folder, "listed") }]);
    expect(listing.entries).toMatchObject([{ name: "child", kind: "folder" }]);
    const outside = server.ask("listFolders", [{ path: "/etc" }]);
    await expect(outside).rejects.toMatchObject({ code: "invalid" });
  });

  it("a clone has the repository's files", async () => {
    const { directory } = await folder("origin", { "a.txt": "from the origin\n" });
    const git = (...args: string[]) => execFileSync("git", args, { cwd: directory });
    git("init", "-q");
    git("add", ".");
    git("-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "-qm", "First");
    git("update-server-info");
    const site = createServer((request, response) => {
      const path = decodeURIComponent((request.url ?? "").replace(/\?.*/, ""));
      readFile(join(directory, ".git", path)).then(
        (bytes) => response.end(bytes),
        () => response.writeHead(404).end(),
      );
    });
    site.listen(0, "127.0.0.1");
    await eventually("it listens", () => site.listening);
    const { port } = site.address() as AddressInfo;
    const source = { kind: "git" as const, gitUrl: `http://127.0.0.1:${port}/` };
    const { texts, order } = await run({ workspace: { source, environment: [] } }, [
      "read_file",
      { path: "a.txt" },
    ]);
    expect(texts).toEqual(["1\tfrom the origin"]);
    expect(await readdir(test.workspace(order))).toContain(".git");
    site.close();
  });

  it("an abort during a clone leaves nothing behind", async () => {
    const { server } = test;
    const silent = createServer(() => {});
    silent.listen(0, "127.0.0.1");
    await eventually("it listens", () => silent.listening);
    const { port } = silent.address() as AddressInfo;
    const source = { kind: "git" as const, gitUrl: `http://127.0.0.1:${port}/x.git` };
    const order = test.order({ workspace: { source, environment: [] } });
    await server.submit(order);
    await eventually("git has asked", async () => {
      const names = await readdir(join(test.folder, "workspaces"));
      return names.includes(`${order.projectId}.new`);
    });
    await server.abort(order.turnId);
    expect(await server.completed(order.turnId, 3_000)).toMatchObject({ message: "aborted" });
    expect(await readdir(join(test.folder, "workspaces"))).not.toContain(`${order.projectId}.new`);
    silent.closeAllConnections();
    silent.close();
  });

  it("the rules of a workspace are read, and a hostile repository runs nothing", async () => {
    const { directory, source, workspace } = await folder("hostile", {
      "AGENTS.md": "Answer in rhymes.\n",
    });
    const owned = join(test.folder, "owned");
    await plantTraps(directory, owned);
    // A repository in the repository, as a submodule has one, with the same traps.
    await mkdir(join(directory, "inner"));
    await plantTraps(join(directory, "inner"), owned);
    await writeFile(
      join(directory, ".gitmodules"),
      `[submodule "inner"]\n\tpath = inner\n\turl = ext::sh -c touch% ${owned}\n\tupdate = !touch ${owned}\n`,
    );
    await writeFile(join(directory, ".env"), "GADGET_TRAP=1\n");
    const before = await contents(join(directory, ".git"));
    const inner = await contents(join(directory, "inner", ".git"));
    const turn = await run(
      { workspace },
      ["shell", { command: "echo changed > a; echo changed > inner/file; env" }],
      ["grep", { pattern: "rhymes" }],
    );
    const { texts, turnId } = turn;
    await test.server.ask("turnDiff", [{ turnId, source }]);
    await test.server.ask("undoTurn", [{ turnId, source, preview: false }]);
    await run({ workspace }, ["shell", { command: "echo again > a" }]);
    expect(await contents(join(directory, ".git"))).toEqual(before);
    expect(await contents(join(directory, "inner", ".git"))).toEqual(inner);
    expect(texts[0]).not.toContain("GADGET_TRAP");
    expect(JSON.stringify(test.model.calls.at(-1)?.request.messages[0])).toContain("rhymes");
    await expect(stat(join(test.folder, "owned"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("undo", () => {
  const undo = (turnId: TurnId, source: WorkOrder["workspace"]["source"], preview = false) =>
    test.server.ask("undoTurn", [{ turnId, source, preview }]);

  it("A31 takes back what tools and commands did, redoes it, and leaves hand edits alone", async () => {
    const { directory, source, workspace } = await folder("undo", {
      "tool.txt": "tool before\n",
      "shell.txt": "shell before\n",
      "gone.txt": "to be deleted\n",
      "hand.txt": "hand before\n",
      "mine.txt": "mine before\n",
      binary: "a\0b",
    });
    const at = (name: string) => join(directory, name);
    const { turnId, order } = await run(
      { workspace },
      ["write_file", { path: "tool.txt", content: "tool after\n" }],
      ["write_file", { path: "hand.txt", content: "by the tool\n" }],
      [
        "shell",
        {
          command:
            "echo shell after > shell.txt; rm gone.txt; echo new > made.txt; printf 'a\\0c' > binary",
        },
      ],
    );
    const files = test.server.eventsOf(turnId, "file:changed").map(({ file }) => file);
    expect(new Set(files.map(({ path }) => path))).toEqual(
      new Set(["tool.txt", "hand.txt", "shell.txt", "gone.txt", "made.txt", "binary"]),
    );
    const diff = await test.server.ask("turnDiff", [{ turnId, source }]);
    expect(diff.coverage).toBe("whole");
    expect(diff.files.find(({ file }) => file.path === "gone.txt")?.diff).toContain(
      "-to be deleted",
    );

    await writeFile(at("hand.txt"), "by hand, later\n");
    await writeFile(at("mine.txt"), "mine after\n");
    const preview = await undo(turnId, source, true);
    expect(preview.preview).toBe(true);
    expect(preview.skipped).toEqual([{ path: "hand.txt", reason: "It was edited since." }]);
    expect(await readFile(at("tool.txt"), "utf8")).toBe("tool after\n");

    const undone = await undo(turnId, source);
    expect(undone.restored.map(({ file }) => file.path).sort()).toEqual(
      preview.restored.map(({ file }) => file.path).sort(),
    );
    expect(await readFile(at("tool.txt"), "utf8")).toBe("tool before\n");
    expect(await readFile(at("shell.txt"), "utf8")).toBe("shell before\n");
    expect(await readFile(at("gone.txt"), "utf8")).toBe("to be deleted\n");
    expect(await readFile(at("binary"), "latin1")).toBe("a\0b");
    await expect(stat(at("made.txt"))).rejects.toMatchObject({ code: "ENOENT" });
    expect(await readFile(at("hand.txt"), "utf8")).toBe("by hand, later\n");
    expect(await readFile(at("mine.txt"), "utf8")).toBe("mine after\n");

    expect(await undo(turnId, source)).toMatchObject({ redo: true });
    expect(await readFile(at("made.txt"), "utf8")).toBe("new\n");
    await expect(stat(at("gone.txt"))).rejects.toMatchObject({ code: "ENOENT" });
    expect(order.turnId).toBe(turnId);
  });

  it("A31 a file that is edited by hand while the turn runs is not the turn's", async () => {
    const { server, model } = test;
    const { directory, source, workspace } = await folder("during", {
      mine: "before\n",
      both: "0\n",
    });
    let goOn = () => {};
    const handDone = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    model.answer(async (call) => {
      if (call.toolResults.length === 0) {
        call.tool("shell", { command: "echo by-command > made; echo 1 > both" });
      } else if (call.toolResults.length === 1) {
        await handDone;
        call.tool("shell", { command: "true" });
      } else {
        call.text("Done.");
      }
      call.end();
    });
    const order = test.order({ workspace });
    await server.submit(order);
    await eventually("the first command", () => server.eventsOf(order.turnId, "tool:end")[0]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await writeFile(join(directory, "mine"), "by hand\n");
    await writeFile(join(directory, "extra"), "by hand\n");
    await new Promise((resolve) => setTimeout(resolve, 100));
    goOn();
    await server.completed(order.turnId);
    const { files } = await server.ask("turnDiff", [{ turnId: order.turnId, source }]);
    expect(files.map(({ file }) => file.path).sort()).toEqual(["both", "made"]);
    await undo(order.turnId, source);
    expect(await readFile(join(directory, "mine"), "utf8")).toBe("by hand\n");
    expect(await readFile(join(directory, "both"), "utf8")).toBe("0\n");
  });

  it("A31 works for an aborted turn, and the user's own repository is untouched", async () => {
    const { server, model } = test;
    const { directory, source, workspace } = await folder("aborted", { a: "before\n" });
    const git = (...args: string[]) => execFileSync("git", args, { cwd: directory }).toString();
    git("init", "-q");
    const before = git("status", "--porcelain");
    model.answerWithTools(["shell", { command: "echo after > a; echo ready; sleep 60" }]);
    const order = test.order({ workspace });
    await server.submit(order);
    await server.event(order.turnId, "tool:output");
    await server.abort(order.turnId);
    await server.completed(order.turnId);
    expect(server.eventsOf(order.turnId, "file:changed")[0]?.file.path).toBe("a");
    const last = server.events(order.turnId).at(-1);
    expect(last).toMatchObject({ type: "turn:changed", stopped: { left: 0 } });
    await undo(order.turnId, source);
    expect(await readFile(join(directory, "a"), "utf8")).toBe("before\n");
    expect(git("status", "--porcelain")).toBe(before);
    await rm(directory, { recursive: true });
  });

  it("A31 modes, renamed files and links: what can be is brought back, what can't is named", async () => {
    const { directory, source, workspace } = await folder("kinds", {
      private: "secret before\n",
      script: "echo\n",
      old: "moved\n",
      linked: "was a file\n",
    });
    const at = (name: string) => join(directory, name);
    const mode = async (name: string) => (await stat(at(name))).mode & 0o777;
    await chmod(at("private"), 0o600);
    await symlink("script", at("link"));
    const command =
      "echo after > private; chmod 755 script; mv old new; rm linked; ln -s script linked; ln -sfn old link";
    const { turnId } = await run({ workspace }, ["shell", { command }]);
    const { restored, skipped } = await undo(turnId, source);
    expect(restored.map(({ file }) => file.path).sort()).toEqual([
      "new",
      "old",
      "private",
      "script",
    ]);
    expect(skipped.map(({ path }) => path)).toEqual(["linked"]);
    expect(await readFile(at("private"), "utf8")).toBe("secret before\n");
    expect([await mode("private"), await mode("script")]).toEqual([0o600, 0o644]);
    expect(await readFile(at("old"), "utf8")).toBe("moved\n");
    await expect(stat(at("new"))).rejects.toMatchObject({ code: "ENOENT" });
    await undo(turnId, source);
    expect([await mode("private"), await mode("script")]).toEqual([0o600, 0o755]);
    expect(await readFile(at("new"), "utf8")).toBe("moved\n");
  });

  it("a turn that changed nothing has nothing to take back", async () => {
    const { source, workspace } = await folder("nothing", { a: "1\n" });
    const { turnId } = await run({ workspace }, ["read_file", { path: "a" }]);
    expect(await test.server.ask("turnDiff", [{ turnId, source }])).toMatchObject({ files: [] });
    await expect(undo(turnId, source)).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("snapshots", () => {
  it("heal themselves when a crash has left a broken index", async () => {
    const { source, workspace } = await folder("broken-index", { a: "1\n" });
    await run({ workspace }, ["shell", { command: "echo 2 > a" }]);
    const snapshots = join(test.folder, "data", "snapshots");
    for (const name of await readdir(snapshots)) {
      await writeFile(join(snapshots, name, "index"), "garbage");
    }
    const { turnId } = await run({ workspace }, ["shell", { command: "echo 3 > a" }]);
    const { files, coverage } = await test.server.ask("turnDiff", [{ turnId, source }]);
    expect(coverage).toBe("whole");
    expect(files[0]?.diff).toContain("-2\n+3\n");
  });

  it("skip ignored files, which tools may still edit and take back", async () => {
    const { directory, source, workspace } = await folder("ignored", {
      ".gitignore": "ignored/\n",
      "ignored/tool": "1\n",
      "ignored/shell": "1\n",
    });
    const { turnId } = await run(
      { workspace },
      ["write_file", { path: "ignored/tool", content: "2\n" }],
      ["shell", { command: "echo 2 > ignored/shell" }],
    );
    const { files } = await test.server.ask("turnDiff", [{ turnId, source }]);
    expect(files.map(({ file }) => file.path)).toEqual(["ignored/tool"]);
    await test.server.ask("undoTurn", [{ turnId, source, preview: false }]);
    expect(await readFile(join(directory, "ignored/tool"), "utf8")).toBe("1\n");
  });
});
