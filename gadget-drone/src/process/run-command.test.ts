import { open } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { CommandOptions } from "./command.ts";
import { runCommand, startCommand } from "./run-command.ts";
import { type SupervisorCapability, supervisorCapability } from "./supervisor-capability.ts";

const idle = new AbortController().signal;
const best: SupervisorCapability = { supervisor: "best-effort", reason: "asked for by the test" };
const here = await supervisorCapability();

function shell(command: string, options: Partial<CommandOptions> = {}): CommandOptions {
  return {
    argv: ["/bin/sh", "-c", command],
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "" },
    signal: idle,
    ...options,
  };
}

function collector() {
  const seen = { stdout: "", stderr: "" };
  let check = () => {};
  return {
    seen,
    onOutput: (text: string, stream: "stdout" | "stderr") => {
      seen[stream] += text;
      check();
    },
    until: (text: string) =>
      new Promise<void>((resolve) => {
        check = () => {
          if (!seen.stdout.includes(text)) {
            return;
          }
          check = () => {};
          resolve();
        };
        check();
      }),
  };
}

for (const capability of here.supervisor === "subreaper" ? [here, best] : [best]) {
  describe(`runCommand (${capability.supervisor})`, () => {
    it("returns the exit code and hands on both streams", async () => {
      const { seen, onOutput } = collector();
      const command = shell("pwd; cat; echo oops >&2; exit 3", {
        cwd: "/usr",
        stdin: "from us",
        onOutput,
      });
      const result = await runCommand(command, capability);
      expect(seen).toEqual({ stdout: "/usr\nfrom us", stderr: "oops\n" });
      expect(result).toMatchObject({ exitCode: 3, signalName: null, started: true, left: 0 });
      expect(result.stoppedBy).toBeNull();
    });

    it("names the signal that ended it", async () => {
      const result = await runCommand(shell("kill -SEGV $$"), capability);
      expect(result).toMatchObject({ exitCode: null, signalName: "SIGSEGV", stoppedBy: null });
    });

    it("says why a command did not start", async () => {
      const unknown = await runCommand(shell("", { argv: ["no-such-command"] }), capability);
      expect(unknown).toMatchObject({ started: false, exitCode: null });
      expect(unknown.startError).toMatch(/no-such-command/);
      const nowhere = await runCommand(shell("true", { cwd: "/no/such/folder" }), capability);
      expect(nowhere.started).toBe(false);
      expect(nowhere.startError).toBeTruthy();
      const tooLong = shell("", { argv: ["/bin/echo", "a".repeat(3_000_000)] });
      expect(await runCommand(tooLong, capability)).toMatchObject({ started: false });
    });

    it("gives the command its own environment and nothing else", async () => {
      const { seen, onOutput } = collector();
      const env = { PATH: process.env["PATH"] ?? "", LANG: "xx_YY.UTF-8", PERL5OPT: "-Mnone" };
      await runCommand(shell("env; perl() { :; }", { env, onOutput }), capability);
      const names = seen.stdout
        .match(/^\w+(?==)/gm)
        ?.filter((name) => !/^(PWD|_|SHLVL)$/.test(name));
      expect(names?.sort()).toEqual(["GADGET_COMMAND", "LANG", "PATH", "PERL5OPT"]);
      expect(seen.stderr).toBe("");
    });

    it("stops a command at its time limit", async () => {
      const result = await runCommand(shell("sleep 60", { timeoutMs: 100 }), capability);
      expect(result).toMatchObject({ stoppedBy: "timeout", signalName: "SIGTERM", left: 0 });
      expect(result.durationMs).toBeLessThan(2000);
    });

    it("A6 never starts a command whose signal was aborted before", async () => {
      const { seen, onOutput } = collector();
      const signal = AbortSignal.abort();
      const result = await runCommand(shell("echo ran", { signal, onOutput }), capability);
      expect(result).toMatchObject({ started: false, stoppedBy: "abort", processesEnded: 0 });
      expect(seen.stdout).toBe("");
    });

    it("A20 keeps the output up to the abort, and what TERM makes it say", async () => {
      const controller = new AbortController();
      const { seen, onOutput, until } = collector();
      const script =
        "trap 'echo cleaned up; exit 4' TERM; echo begun; while :; do sleep 0.02; done";
      const command = shell(script, { signal: controller.signal, onOutput });
      const running = runCommand(command, capability);
      await until("begun");
      controller.abort();
      expect(await running).toMatchObject({ exitCode: 4, stoppedBy: "abort", left: 0 });
      expect(seen.stdout).toBe("begun\ncleaned up\n");
    });

    it("A18 ends what a finished command left behind, and counts it", async () => {
      const begun = performance.now();
      const result = await runCommand(shell("sleep 60 & sleep 60 & exit 0"), capability);
      expect(result).toMatchObject({ exitCode: 0, stoppedBy: null, processesEnded: 2, left: 0 });
      expect(performance.now() - begun).toBeLessThan(2000);
    });

    it("A20 a flood of output delays neither the abort nor the end", async () => {
      const controller = new AbortController();
      const { onOutput, until } = collector();
      const running = runCommand(shell("yes", { signal: controller.signal, onOutput }), capability);
      await until("y");
      const begun = performance.now();
      controller.abort();
      expect(await running).toMatchObject({ stoppedBy: "abort", left: 0 });
      expect(performance.now() - begun).toBeLessThan(1500);
    });

    it("stop ends it once, however often it is called", async () => {
      const command = startCommand(shell("sleep 60"), capability);
      const results = await Promise.all([command.stop(), command.stop(), command.done]);
      expect(new Set(results).size).toBe(1);
      expect(results[0]).toMatchObject({ stoppedBy: "stop", left: 0 });
      expect(await command.stop()).toBe(results[0]);
    });
  });
}

describe.skipIf(here.supervisor !== "subreaper")("a supervisor under attack", () => {
  it("gives the command pipes that can be opened again", async () => {
    const { seen, onOutput } = collector();
    await runCommand(shell("echo a > /dev/stdout; echo b > /dev/stderr", { onOutput }), here);
    expect(seen).toEqual({ stdout: "a\n", stderr: "b\n" });
  });

  it("A20 waits only so long for a process outside of its reach that holds the pipe", async () => {
    const controller = new AbortController();
    const { seen, onOutput, until } = collector();
    const command = shell("echo $$ ready; exec sleep 60", { signal: controller.signal, onOutput });
    const running = runCommand(command, here);
    await until("ready");
    const holder = await open(`/proc/${Number.parseInt(seen.stdout, 10)}/fd/1`, "w");
    const begun = performance.now();
    controller.abort();
    expect(await running).toMatchObject({ stoppedBy: "abort", left: 0 });
    expect(performance.now() - begun).toBeLessThan(1000);
    await holder.close();
  });

  it("ends the command when it is told to end with SIGTERM", async () => {
    const result = await runCommand(shell("kill $PPID; setsid sleep 60"), here);
    expect(result).toMatchObject({ stoppedBy: "supervisor", left: 0 });
  });

  it("A18 is replaced by a scan of the process table when it was killed", async () => {
    const result = await runCommand(shell("setsid sleep 60 & kill -9 $PPID; sleep 60"), here);
    expect(result).toMatchObject({ stoppedBy: "supervisor", left: 0 });
    expect(result.processesEnded).toBeGreaterThan(0);
  });

  it("A18 leaves nothing when the command's very first step was to kill it", async () => {
    const killers = Array.from({ length: 20 }, () =>
      runCommand(shell("kill -9 $PPID; setsid sleep 60"), here),
    );
    for (const result of await Promise.all(killers)) {
      expect(result).toMatchObject({ started: true, stoppedBy: "supervisor", left: 0 });
    }
  });

  it("is woken when the command has stopped it", async () => {
    const options = { timeoutMs: 100, termGraceMs: 50 };
    const result = await runCommand(shell("kill -STOP $PPID; sleep 60", options), here);
    expect(result).toMatchObject({ stoppedBy: "timeout", left: 0 });
  });
});
