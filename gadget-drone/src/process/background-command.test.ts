import { expect, it } from "vitest";
import { startBackgroundCommand } from "./background-command.ts";
import { supervisorCapability } from "./supervisor-capability.ts";

const capability = await supervisorCapability();
const start = (command: string, signal: AbortSignal, onOutput = (_text: string) => {}) =>
  startBackgroundCommand(
    {
      argv: ["/bin/sh", "-c", command],
      cwd: "/",
      env: { PATH: process.env["PATH"] ?? "" },
      signal,
      onOutput,
    },
    capability,
  );

it("runs on with its output at hand until it is stopped", async () => {
  let announce = () => {};
  const spoken = new Promise<void>((resolve) => {
    announce = resolve;
  });
  const command = start("echo listening; exec sleep 60", new AbortController().signal, announce);
  await spoken;
  expect(command.output()).toEqual({ text: "listening\n", dropped: 0 });
  expect(command.result()).toBeNull();
  const result = await command.stop();
  expect(result).toMatchObject({ stoppedBy: "stop", left: 0 });
  expect(command.result()).toBe(result);
});

it("A18 dies with the signal of the turn that started it", async () => {
  const controller = new AbortController();
  const command = start("sleep 60", controller.signal);
  controller.abort();
  expect(await command.done).toMatchObject({ stoppedBy: "abort", left: 0 });
});

it("keeps the end of a long output and says how much was dropped", async () => {
  const script = "yes 0123456789 | head -n 100000; echo the end";
  const command = start(script, new AbortController().signal);
  await command.done;
  const { text, dropped } = command.output();
  expect(text.endsWith("the end\n")).toBe(true);
  expect(text.length).toBe(256 * 1024);
  expect(text.length + dropped).toBe(1_100_008);
});
