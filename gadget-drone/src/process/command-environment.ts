import { delimiter, isAbsolute } from "node:path";

/** What a command may know of the drone's environment; keys and tokens are not in it. */
const usual = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TMPDIR",
  "SSH_AUTH_SOCK",
  "XDG_CONFIG_HOME",
  "XDG_CACHE_HOME",
  "XDG_DATA_HOME",
];

/**
 * No project can ask for these: what the server and the drone live by, the folder of this user's
 * sockets, and what makes a shell or a program load other code before it starts.
 */
const never =
  /^(?:GADGET_|MONGODB_URI$|REDIS_URL$|XDG_RUNTIME_DIR$|LD_|DYLD_|NODE_OPTIONS$|BASH_ENV$|ENV$|BASH_FUNC_|SHELLOPTS$|BASHOPTS$)/;

type Environment = Readonly<Record<string, string | undefined>>;

/** `more`: names that the project adds. Nothing is read from the workspace. */
export function commandEnvironment(
  own: Environment,
  more: readonly string[],
): Record<string, string> {
  const names = new Set([...usual, ...more.filter((name) => !never.test(name))]);
  const entries = Object.entries(own).flatMap(([name, value]) =>
    value !== undefined && (names.has(name) || name.startsWith("LC_")) ? [[name, value]] : [],
  );
  // Commands have no terminal: nothing should wait in a pager or an editor. Who is told to use
  // colours all the same (`ls --color=always`) may: they are shown.
  const quiet = {
    TERM: "dumb",
    COLORTERM: "truecolor",
    PAGER: "cat",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
  };
  return {
    ...quiet,
    GIT_EDITOR: "true",
    ...Object.fromEntries(entries),
    ...gitSettings(own, names.has("GIT_CONFIG_COUNT")),
    ...(own["PATH"] !== undefined && { PATH: userPath(own["PATH"]) }),
  };
}

/**
 * A folder of the workspace can look like a repository whose settings name programs: git must not
 * take it for one only because a command runs in it.
 */
function gitSettings(own: Environment, added: boolean): Record<string, string> {
  const before = added ? Number(own["GIT_CONFIG_COUNT"]) || 0 : 0;
  const settings: Record<string, string> = {};
  for (let index = 0; index < before; index++) {
    settings[`GIT_CONFIG_KEY_${index}`] = own[`GIT_CONFIG_KEY_${index}`] ?? "";
    settings[`GIT_CONFIG_VALUE_${index}`] = own[`GIT_CONFIG_VALUE_${index}`] ?? "";
  }
  settings[`GIT_CONFIG_KEY_${before}`] = "safe.bareRepository";
  settings[`GIT_CONFIG_VALUE_${before}`] = "explicit";
  return { ...settings, GIT_CONFIG_COUNT: String(before + 1) };
}

/**
 * The user's PATH: without the programs of Gadget Code's own packages, which npm puts in front of
 * it, and without folders that depend on where a command runs.
 */
export function userPath(path: string): string {
  const folders = path.split(delimiter);
  // npm's own part ends with this folder; npm in npm has several.
  const npms = folders.findLastIndex((folder) => folder.endsWith("/node-gyp-bin"));
  return folders
    .slice(npms + 1)
    .filter((folder) => isAbsolute(folder))
    .join(delimiter);
}
