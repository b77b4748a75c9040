/** Programs whose first argument says what they do. */
const withSubcommands = new Set(
  "apt-get brew bun cargo composer deno docker dotnet gem git go gradle helm kubectl make mvn npm pip pip3 pnpm poetry rustup terraform uv yarn".split(
    " ",
  ),
);

/** Programs that run whatever they are given: allowing them would allow everything. */
const runners = new Set(
  ". ash awk bash builtin busybox chroot command dash doas ed env eval ex exec expect fish find flock gawk gdb ionice ksh lua mawk nice node nohup npx nsenter parallel perl php pypy python ruby screen script sed setsid sh source ssh start-stop-daemon stdbuf strace su sudo systemd-run taskset tclsh time timeout tmux ts-node tsx unshare vi vim watch xargs zsh".split(
    " ",
  ),
);

/** What makes a program of the first list such a program, too. */
const runningSubcommands = new Set("dlx eval exec run x".split(" "));
/** Where `run` names a script that somebody wrote down before. */
const runsScripts = new Set("bun npm pnpm yarn".split(" "));

const operators = /&&|\|\||;|\||\n/;
/** Substitutions, redirections and jobs: more happens than the words in front say. */
const hidden = /[`<>]|\$\(|\$\{|&(?!&)(?<!&&)|\\\n/;

function words(command: string): string[] {
  return command.trim().split(/\s+/);
}

/** What "for this session" allows of a command: its first words, or the very same command. */
export function commandPrefix(command: string): string {
  const exact = command.trim();
  if (operators.test(exact) || hidden.test(exact)) return exact;
  const [program = "", argument = ""] = words(exact);
  if (runsAnything(program) || /['"\\$]/.test(program)) return exact;
  const name = nameOf(program);
  if (!withSubcommands.has(name)) return program;
  const anything = runningSubcommands.has(argument);
  if (anything && !(argument === "run" && runsScripts.has(name))) return exact;
  return /^[a-z][\w:-]*$/i.test(argument) ? `${program} ${argument}` : exact;
}

/** Wherever it is, and whichever version: `/usr/bin/python3.11` is python. */
function nameOf(program: string): string {
  const name = program.slice(program.lastIndexOf("/") + 1);
  return name.replace(/[-.\d]+$/, "") || name;
}

function runsAnything(program: string): boolean {
  return program.includes("=") || runners.has(program) || runners.has(nameOf(program));
}

/** Whether each part of the command begins with words that were allowed. */
export function isAllowed(command: string, allowed: readonly string[]): boolean {
  const exact = command.trim();
  if (allowed.includes(exact)) return true;
  if (hidden.test(exact)) return false;
  return exact.split(operators).every((part) => {
    const own = words(part);
    return allowed.some((prefix) => {
      const wanted = words(prefix);
      // What may hold operators or runs anything was allowed as it stood, and only so.
      if (commandPrefix(prefix) !== prefix || isExact(prefix)) return false;
      return wanted.every((word, index) => own[index] === word);
    });
  });
}

function isExact(prefix: string): boolean {
  const [program = ""] = words(prefix);
  return operators.test(prefix) || hidden.test(prefix) || runsAnything(program);
}
