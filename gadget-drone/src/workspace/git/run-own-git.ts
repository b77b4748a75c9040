import { type GitResult, isolated, runGit } from "./git.ts";

/** A git folder of ours about a workspace, which is somebody else's. */
export interface OwnGit {
  folder: string;
  workspace: string;
  index: string;
  /** What git is told with `-c`, and in its environment. */
  settings: readonly string[];
  env?: Readonly<Record<string, string>>;
}

export interface MoreForGit {
  stdin?: string;
  env?: Readonly<Record<string, string>>;
}

export function runOwnGit(
  own: OwnGit,
  args: readonly string[],
  signal: AbortSignal,
  { stdin, env }: MoreForGit = {},
): Promise<GitResult> {
  return runGit({
    args: [...own.settings.flatMap((setting) => ["-c", setting]), ...args],
    cwd: own.workspace,
    signal,
    env: {
      ...isolated,
      GIT_DIR: own.folder,
      GIT_WORK_TREE: own.workspace,
      GIT_INDEX_FILE: own.index,
      ...own.env,
      ...env,
    },
    ...(stdin !== undefined && { stdin }),
  });
}
