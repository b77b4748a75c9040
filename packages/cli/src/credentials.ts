import { mkdir, open, readFile, rename } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { exitCodes } from "./exit-code.ts";
import { Problem } from "./problem.ts";

/** The tokens that `login` made, by server, and the server that is meant when none is named. */
export interface Credentials {
  current: string | undefined;
  tokens: Record<string, string>;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function credentialsFile(env: Environment): string {
  const config = env["XDG_CONFIG_HOME"] || join(env["HOME"] || homedir(), ".config");
  return resolve(config, "gadget", "credentials.json");
}

export async function readCredentials(env: Environment): Promise<Credentials> {
  const file = credentialsFile(env);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      return { current: undefined, tokens: {} };
    }
    throw new Problem(`${file} can't be read: check its permissions.`, exitCodes.error);
  }
  const credentials = parse(text);
  if (credentials !== undefined) {
    return credentials;
  }
  throw new Problem(`${file} is damaged: remove it and run "gadget login".`, exitCodes.error);
}

/** Written aside and renamed, and never readable by others, not even for a moment. */
export async function writeCredentials(env: Environment, credentials: Credentials): Promise<void> {
  const file = credentialsFile(env);
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(`${file}.new`, "w", 0o600);
    try {
      await handle.chmod(0o600);
      await handle.writeFile(`${JSON.stringify(credentials, undefined, 2)}\n`);
    } finally {
      await handle.close();
    }
    await rename(`${file}.new`, file);
  } catch {
    throw new Problem(`${file} can't be written: check its permissions.`, exitCodes.error);
  }
}

function parse(text: string): Credentials | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || !("tokens" in value)) {
    return undefined;
  }
  const { tokens } = value;
  const current = "current" in value ? value.current : undefined;
  if (typeof tokens !== "object" || tokens === null) {
    return undefined;
  }
  if (current !== undefined && typeof current !== "string") {
    return undefined;
  }
  const pairs = Object.entries(tokens).filter(
    (pair): pair is [string, string] => typeof pair[1] === "string",
  );
  return { current, tokens: Object.fromEntries(pairs) };
}
