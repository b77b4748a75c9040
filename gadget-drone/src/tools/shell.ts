import { defineTool } from "@gadget/agent";
import { z } from "zod";
import type { CommandResult } from "../process/command.ts";
import type { CommandShell } from "../process/find-shell.ts";
import { runCommand } from "../process/run-command.ts";
import { safePath } from "../workspace/safe-path.ts";
import { CommandOutput } from "./command-output.ts";
import { shownOutput } from "./shown-output.ts";
import type { DroneTool, DroneToolContext } from "./tool-context.ts";

export const defaultTimeoutMs = 120_000;
const longestTimeoutMs = 3_600_000;

const input = z.object({
  command: z.string().min(1).max(100_000).describe("A command line for the shell."),
  timeoutMs: z.int().min(100).max(longestTimeoutMs).optional().describe("Default: 120000."),
  path: z.string().optional().describe("The folder to run in, relative to the workspace."),
  background: z
    .boolean()
    .optional()
    .describe("Go on at once and let it run; the tool background shows its output and stops it."),
});

export const shell = (commandShell: CommandShell): DroneTool =>
  defineTool<typeof input, DroneToolContext>({
    name: "shell",
    description: `Runs a command in the workspace, by ${commandShell.description} on ${process.platform}, and gives its output and exit code. Nobody can type into it.`,
    input,
    // The command has its own limit of time.
    timeoutMs: null,
    async run({ command, timeoutMs = defaultTimeoutMs, path = ".", background }, context) {
      const cwd = await safePath(context.workspace, path);
      await context.changes.prepare();
      context.signal.throwIfAborted();
      const argv: readonly [string, ...string[]] = [...commandShell.argv, command];
      if (background === true) {
        return startInBackground({ command, argv, cwd }, context);
      }
      const ended = context.changes.commandStarts();
      const output = new CommandOutput();
      const kept = context.outputs.open();
      const running = runCommand({
        argv,
        cwd,
        env: context.environment,
        signal: context.signal,
        timeoutMs,
        silenceMs: context.silenceMs,
        onOutput: (text) => {
          output.add(text);
          kept.add(text);
          context.output(text);
        },
      }).finally(ended);
      context.commandStarted(running);
      try {
        const result = await running;
        const shown = await shownOutput(output, kept, context);
        return { ...describe(result, shown, timeoutMs), output: output.text };
      } finally {
        kept.end();
      }
    },
  });

async function startInBackground(
  { command, argv, cwd }: { command: string; argv: readonly [string, ...string[]]; cwd: string },
  context: DroneToolContext,
) {
  const ended = context.changes.commandStarts();
  const { id, command: started } = await context.background.start({
    command,
    kept: context.outputs.open(),
    options: {
      argv,
      cwd,
      env: context.environment,
      // The turn's own signal: it outlives the call and the turn, but not an abort of the turn.
      signal: context.turnSignal,
      silenceMs: context.silenceMs,
    },
  });
  context.commandStarted(started.done, { background: true });
  void started.done.then(ended);
  return `Started in the background as ${id}. The tool background shows its output and stops it.`;
}

function describe(result: CommandResult, shown: string, timeoutMs: number) {
  const said = shown === "" ? "(no output)" : shown;
  if (!result.started && result.stoppedBy === null) {
    throw new Error(`The command could not start: ${result.startError ?? "no reason given"}`);
  }
  const left = result.left > 0 ? `\n[${result.left} of its processes could not be ended]` : "";
  if (result.stoppedBy === "abort") {
    return { text: said + left, stopped: true };
  }
  if (result.stoppedBy === "timeout") {
    const why = `[stopped after ${timeoutMs} ms; give timeoutMs for longer commands]`;
    return { text: `${said}\n${why}${left}`, failed: true };
  }
  if (result.supervisorLost) {
    const why =
      "[its supervisor was killed: it was ended too, but something that it had started may still run]";
    return { text: `${said}\n${why}${left}`, failed: true };
  }
  if (result.stoppedBy !== null) {
    return { text: `${said}\n[stopped by the drone: ${result.stoppedBy}]${left}`, failed: true };
  }
  const leftovers =
    result.processesEnded > 0
      ? `\n[${result.processesEnded} processes that it left running were ended; background: true keeps them]`
      : "";
  const code = result.signalName ?? result.exitCode;
  const end =
    result.exitCode === 0 ? "" : `\n[ended with ${result.signalName ? "" : "exit code "}${code}]`;
  return { text: `${said}${end}${leftovers}${left}`, failed: result.exitCode !== 0 };
}
