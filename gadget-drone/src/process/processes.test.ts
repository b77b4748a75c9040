import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { type CommandTrace, findProcesses, readPs, startOf } from "./processes.ts";

it("finds processes by cookie, by group and by an open file, and their children", async () => {
  const mark = join(tmpdir(), `gadget-table-test-${process.pid}`);
  const opened = openSync(mark, "w");
  const child = spawn("sh", ["-c", "setsid env -i PATH=$PATH sleep 60 10>&- & wait"], {
    detached: true,
    env: { GADGET_COMMAND: "table-test", PATH: process.env["PATH"] },
    stdio: ["ignore", "ignore", "ignore", opened],
  });
  const exit = once(child, "exit");
  await once(child, "spawn");
  const group = child.pid ?? 0;
  const pids = async (trace: CommandTrace) =>
    (await findProcesses(trace)).map(({ pid }) => pid).toSorted((a, b) => a - b);
  const both = await vi.waitFor(async () => {
    const found = await pids({ cookie: "table-test" });
    expect(found).toHaveLength(2);
    return found;
  });
  expect(both).toContain(group);
  expect(await pids({ group })).toEqual(both);
  expect(await pids({ mark })).toEqual(both);
  const start = startOf(group);
  expect(await pids({ known: new Map([[group, start ?? ""]]) })).toEqual(both);
  expect(await pids({ known: new Map([[group, "another start"]]) })).toEqual([]);
  expect(await pids({ cookie: "table-test", since: "999999999999" })).toEqual([]);
  for (const pid of both) {
    process.kill(pid, "SIGKILL");
  }
  await exit;
  closeSync(opened);
  rmSync(mark);
  await vi.waitFor(async () =>
    expect(await pids({ cookie: "table-test", group, mark })).toEqual([]),
  );
});

it("reads a table of ps", () => {
  const table = [
    "  101     1   100 S    sleep 60 PATH=/bin GADGET_COMMAND=mine",
    "  102     1   102 R    node app GADGET_COMMAND=other",
    "  103     1   100 Z    (sh)",
    "  104     1   104 Ss   grep GADGET_COMMAND=mine2",
    "  105   101   105 S    a child that has left",
    "  106   105   105 S    and its own",
    "",
  ].join("\n");
  const pids = (trace: CommandTrace, holders?: number[]) =>
    readPs(table, trace, holders).map(({ pid }) => pid);
  expect(pids({ cookie: "mine" })).toEqual([101, 105, 106]);
  expect(pids({ group: 102 })).toEqual([102]);
  expect(pids({}, [104])).toEqual([104]);
});
