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
  "XDG_RUNTIME_DIR",
];

/** What the server and the drone live by; no project can ask for it. */
const never = /^(?:GADGET_|MONGODB_URI$|REDIS_URL$|LD_|NODE_OPTIONS$)/;

/** `more`: names that the project adds. Nothing is read from the workspace. */
export function commandEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  more: readonly string[],
): Record<string, string> {
  const names = new Set([...usual, ...more.filter((name) => !never.test(name))]);
  const entries = Object.entries(own).flatMap(([name, value]) =>
    value !== undefined && (names.has(name) || name.startsWith("LC_")) ? [[name, value]] : [],
  );
  // Commands have no terminal: nothing should wait in a pager or an editor.
  const quiet = { TERM: "dumb", PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" };
  return { ...quiet, GIT_EDITOR: "true", ...Object.fromEntries(entries) };
}
