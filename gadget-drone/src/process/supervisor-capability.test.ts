import { expect, it } from "vitest";
import { detectSupervisor } from "./supervisor-capability.ts";

const linux = { platform: "linux", arch: "x64", path: "" };

it("says that other systems than Linux are best effort", async () => {
  expect(await detectSupervisor({ ...linux, platform: "darwin" })).toEqual({
    supervisor: "best-effort",
    reason: "darwin has no subreaper",
  });
});

it("does not guess the system calls of an unknown processor", async () => {
  const capability = await detectSupervisor({ ...linux, arch: "mips" });
  expect(capability).toMatchObject({ supervisor: "best-effort" });
});

it("claims only what it saw work", async () => {
  const capability = await detectSupervisor(linux, "/bin/false");
  expect(capability).toEqual({
    supervisor: "best-effort",
    reason: "the supervisor could not run: it ended without a report",
  });
});
