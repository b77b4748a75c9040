import { homedir } from "node:os";
import { findProgram } from "./find-program.ts";
import { runCommand } from "./run-command.ts";

/** The shell that runs the model's commands. */
export interface CommandShell {
  /** What stands before the command line. */
  argv: readonly [string, ...string[]];
  /** What the model is told of it. */
  description: string;
}

const sh: CommandShell = {
  argv: ["/bin/sh", "-c"],
  description: "/bin/sh, a POSIX shell without bash's own words ([[ ]], source, pipefail, <( ))",
};
const probeMs = 5_000;

/** Bash where it is there, because that is what models write; else the system's own shell. */
export async function findShell(path: string): Promise<CommandShell> {
  const bash = await findProgram("bash", path);
  if (bash === undefined) {
    return sh;
  }
  let version = "";
  const { exitCode } = await runCommand({
    argv: [bash, "--norc", "-c", 'echo "$BASH_VERSION"'],
    cwd: "/",
    env: { PATH: path, HOME: homedir() },
    signal: AbortSignal.timeout(probeMs),
    onOutput: (text) => {
      version += text;
    },
  });
  const [, known] = /^(\d+\.\d+)/.exec(version) ?? [];
  if (exitCode !== 0 || known === undefined) {
    return sh;
  }
  // Bash takes a socket for input to be a remote login, and would read the user's own file.
  return { argv: [bash, "--norc", "-c"], description: `bash ${known}` };
}
