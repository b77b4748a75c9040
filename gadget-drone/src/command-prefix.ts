/** Programs whose first argument says what they do. */
const withSubcommands = new Set(
  "apt-get brew bun cargo composer deno docker dotnet gem git go gradle helm kubectl make mvn npm pip pip3 pnpm poetry rustup terraform uv yarn".split(
    " ",
  ),
);

/** Programs that run whatever they are given: allowing them would allow everything. */
const runners = new Set(
  "awk bash busybox dash doas env eval exec find ksh node npx nohup parallel perl php python python3 ruby sed setsid sh ssh su sudo tclsh time timeout watch xargs zsh".split(
    " ",
  ),
);

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
  if (program.includes("=") || runners.has(program) || /['"\\$]/.test(program)) return exact;
  if (!withSubcommands.has(program)) return program;
  return /^[a-z][\w:-]*$/i.test(argument) ? `${program} ${argument}` : exact;
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
  return (
    operators.test(prefix) || hidden.test(prefix) || runners.has(program) || program.includes("=")
  );
}
