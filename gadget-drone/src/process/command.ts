/** What to run and where. The environment is given whole: nothing is inherited from the drone. */
export interface CommandOptions {
  argv: readonly [string, ...string[]];
  cwd: string;
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
  timeoutMs?: number;
  /** Time between SIGTERM and SIGKILL, for commands that clean up after themselves. */
  termGraceMs?: number;
  /** The command is stopped when the drone has shown no life for this long. */
  silenceMs?: number;
  /** Text for standard input, which is empty otherwise. */
  stdin?: string;
  /** Called with output as it comes, decoded; must not throw. */
  onOutput?: (text: string, stream: "stdout" | "stderr") => void;
}

export interface CommandResult {
  exitCode: number | null;
  signalName: string | null;
  /** Why it was stopped; null when it ended by itself, also if a stop was asked for too late. */
  stoppedBy: "abort" | "timeout" | "stop" | "silence" | "supervisor" | null;
  /** False: it never ran, and `startError` says why unless it was stopped before its start. */
  started: boolean;
  startError?: string;
  /** Processes that were alive when the end began, leftovers of a finished command included. */
  processesEnded: number;
  /** Processes that could not be ended. */
  left: number;
  /** Whether nothing else can be left; otherwise there may be what no scan finds. */
  proven: boolean;
  /** Its supervisor was killed or did not answer: whatever it had reported is no proof. */
  supervisorLost: boolean;
  durationMs: number;
}

/** A started process with its way to be stopped; how that is done depends on the machine. */
export interface Launched {
  requestStop(): void;
  ended: Promise<LaunchEnd>;
}

export interface LaunchEnd {
  started: boolean;
  startError?: string;
  exitCode: number | null;
  signalName: string | null;
  /** Why it was stopped, when it was: on request, or by the supervisor's own decision. */
  stop: "asked" | "silent" | "supervisor" | null;
  processesEnded: number;
  left: number;
  proven: boolean;
  supervisorLost: boolean;
}

/** The end of a command of which nothing has been seen yet. */
export function nothingYet(): LaunchEnd {
  return {
    started: false,
    exitCode: null,
    signalName: null,
    stop: null,
    processesEnded: 0,
    left: 0,
    proven: true,
    supervisorLost: false,
  };
}

export type LaunchOptions = Required<
  Pick<CommandOptions, "argv" | "cwd" | "env" | "termGraceMs" | "silenceMs">
> &
  Pick<CommandOptions, "stdin" | "onOutput"> & {
    /** Unique name of this command, also in its environment, where a scan can find it. */
    cookie: string;
  };

/** The variable that carries a command's cookie. */
export const cookieVariable = "GADGET_COMMAND";
