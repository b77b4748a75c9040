import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { findProcesses, readPs } from "./process-table.ts";

it("finds processes by cookie and by group", async () => {
  const child = spawn("sleep", ["60"], { detached: true, env: { GADGET_COMMAND: "table-test" } });
  const exit = once(child, "exit");
  await once(child, "spawn");
  const group = child.pid ?? 0;
  expect(await findProcesses({ cookie: "table-test" })).toEqual([group]);
  expect(await findProcesses({ group })).toEqual([group]);
  child.kill("SIGKILL");
  await exit;
  expect(await findProcesses({ cookie: "table-test", group })).toEqual([]);
});

it("reads a table of ps", () => {
  const table = [
    "  101   100 S    sleep 60 PATH=/bin GADGET_COMMAND=mine",
    "  102   102 R    node app GADGET_COMMAND=other",
    "  103   100 Z    (sh)",
    "  104   104 Ss   grep GADGET_COMMAND=mine2",
    "",
  ].join("\n");
  expect(readPs(table, { cookie: "mine" })).toEqual([101]);
  expect(readPs(table, { group: 102 })).toEqual([102]);
});
