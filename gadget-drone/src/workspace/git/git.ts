import { userPath } from "../../process/command-environment.ts";
import { runCommand } from "../../process/run-command.ts";

export interface GitRun {
  args: readonly string[];
  cwd: string;
  env?: Readonly<Record<string, string>>;
  signal: AbortSignal;
  stdin?: string;
  timeoutMs?: number;
  onProgress?: (text: string) => void;
}

export interface GitResult {
  ok: boolean;
  stdout: string;
  /** What git said, shortened to its last lines. */
  stderr: string;
  stopped: boolean;
}

const keptErrors = 4_000;

/** No setting of the user or of the workspace takes part: nothing of theirs is ever run. */
export const isolated = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_LITERAL_PATHSPECS: "1",
};

/** Runs git under the supervisor, asking nobody anything. */
export async function runGit(run: GitRun): Promise<GitResult> {
  let stdout = "";
  let stderr = "";
  const { HOME, LANG, SSH_AUTH_SOCK } = process.env;
  const path = userPath(process.env["PATH"] ?? "");
  const given = Object.entries({ PATH: path, HOME, LANG, SSH_AUTH_SOCK }).flatMap(
    ([name, value]) => (value === undefined ? [] : [[name, value] as const]),
  );
  const result = await runCommand({
    argv: ["git", ...run.args],
    cwd: run.cwd,
    env: { ...Object.fromEntries(given), GIT_TERMINAL_PROMPT: "0", LC_ALL: "C", ...run.env },
    signal: run.signal,
    ...(run.stdin !== undefined && { stdin: run.stdin }),
    ...(run.timeoutMs !== undefined && { timeoutMs: run.timeoutMs }),
    onOutput: (text, stream) => {
      if (stream === "stdout") {
        stdout += text;
      } else {
        stderr = (stderr + text).slice(-keptErrors);
        run.onProgress?.(text);
      }
    },
  });
  return {
    ok: result.exitCode === 0,
    stdout,
    stderr: result.startError ?? stderr.trim(),
    stopped: result.stoppedBy !== null,
  };
}
