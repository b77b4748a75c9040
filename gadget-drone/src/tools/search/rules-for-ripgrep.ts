import { lstat, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runCommand } from "../../process/run-command.ts";
import { alwaysIgnored, largestRules, rulesFile } from "../../workspace/match/ignore-rules.ts";
import { isInside } from "../../workspace/safe-path.ts";
import type { DroneToolContext } from "../tool-context.ts";
import { searchLimits } from "./search.ts";

type Context = Pick<DroneToolContext, "workspace" | "signal" | "environment" | "commandStarted">;

/** Its older versions read this one, whatever they are told. */
const ownFile = ".rgignore";

/**
 * The options by which ripgrep obeys the same rules as we do. Undefined where it must not be let
 * loose: it reads each file of rules to its end, those of all folders above its path too, and a
 * device has none.
 */
export async function rulesForRipgrep(
  path: string,
  context: Context,
): Promise<string[] | undefined> {
  const { workspace } = context;
  const way = join(workspace, path);
  for (let folder = way; folder !== dirname(folder); ) {
    folder = dirname(folder);
    if (!(await isHarmless(folder, workspace))) {
      return undefined;
    }
  }
  if (await hasEndlessRules(path, context)) {
    return undefined;
  }
  // Above its path it obeys nothing, or would also obey what lies outside of the workspace. It
  // reads this file as if it stood in its working folder, which is where the workspace's own is.
  const own = path === "" ? undefined : await lstat(join(workspace, rulesFile)).catch(() => {});
  return own === undefined ? [] : [`--ignore-file=${rulesFile}`];
}

/** Whether the rules in a folder above the path come to an end, and nobody needs them. */
async function isHarmless(folder: string, workspace: string): Promise<boolean> {
  const isOurs = isInside(workspace, folder);
  for (const name of [rulesFile, ownFile]) {
    const file = join(folder, name);
    const found = await (isOurs ? lstat(file) : stat(file)).catch(() => undefined);
    const isNeeded = isOurs && folder !== workspace && name === rulesFile;
    if (found !== undefined && (isNeeded || !found.isFile() || found.size > largestRules)) {
      return false;
    }
  }
  return true;
}

/** Whether a file of rules at the path or below it has no end, no usual size, or is ripgrep's own. */
export async function hasEndlessRules(path: string, context: Context): Promise<boolean> {
  const { workspace: cwd, signal, environment } = context;
  const skipped = alwaysIgnored.flatMap((name) => ["-o", "-name", name]).slice(1);
  const large = `+${largestRules / 1024}k`;
  const endless = ["-name", rulesFile, "(", "!", "-type", "f", "-o", "-size", large, ")"];
  const wanted = ["(", "-name", ownFile, "-o", ...endless, ")", "-print"];
  const start = path === "" ? "." : `./${path}`;
  let found = false;
  const running = runCommand({
    // What is asked for by its name is not skipped.
    argv: ["find", start, "-mindepth", "1", "(", ...skipped, ")", "-prune", "-o", ...wanted],
    cwd,
    env: { PATH: environment["PATH"] ?? "" },
    signal,
    timeoutMs: searchLimits.timeoutMs,
    onOutput: (text, stream) => {
      found ||= stream === "stdout" && text !== "";
    },
  });
  context.commandStarted(running);
  const result = await running;
  signal.throwIfAborted();
  return found || !result.started || result.stoppedBy !== null;
}
