import { lstat, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** An address that names nobody, and the environment in which git finds who asks. */
export interface GitAddress {
  url: string;
  env: Readonly<Record<string, string>>;
}

/** What stands between `//` and the host: a password may hold any sign but those that end it. */
const named = /^([a-z]+:\/\/)([^/?#]*)@([^/?#@]*)/i;
const largestConfig = 1024 * 1024;

/** git runs this with `get` at its end; it knows nothing but its own two variables. */
const helper =
  '!f() { test "$1" = get && printf \'username=%s\\npassword=%s\\n\' "$GADGET_GIT_USERNAME" "$GADGET_GIT_PASSWORD"; }; f';

/**
 * Takes user and password out of an address. They are given to one git process, for this host
 * alone, and stand in no argument and no file.
 */
export function gitAddress(address: string): GitAddress {
  const [, scheme = "", user = "", host = ""] = named.exec(address) ?? [];
  if (user === "") {
    return { url: address, env: {} };
  }
  const rest = address.slice(`${scheme}${user}@${host}`.length);
  const [name, password] = split(user);
  // With ssh the name is part of the address, and a password is never asked for.
  if (/^ssh:/i.test(scheme)) {
    return { url: `${scheme}${name}@${host}${rest}`, env: {} };
  }
  const url = `${scheme}${host}${rest}`;
  if (!/^https?:/i.test(scheme)) {
    return { url, env: {} };
  }
  const settings = [
    // None of the user's own helpers: they could keep it.
    ["credential.helper", ""],
    [`credential.${scheme}${host}.helper`, helper],
  ] as const;
  const config = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    url,
    env: {
      ...Object.fromEntries(config),
      GIT_CONFIG_COUNT: String(settings.length),
      GADGET_GIT_USERNAME: decoded(name),
      GADGET_GIT_PASSWORD: decoded(password),
    },
  };
}

/** Takes what an earlier clone wrote down of the address's user and password out of its settings. */
export async function forgetCredentials(folder: string, address: string): Promise<void> {
  const [, , user = ""] = named.exec(address) ?? [];
  if (user === "" || gitAddress(address).url === address) {
    return;
  }
  const file = join(folder, ".git", "config");
  const found = await lstat(file).catch(() => undefined);
  if (!found?.isFile() || found.size > largestConfig) {
    return;
  }
  const text = await readFile(file, "utf8");
  const clean = text.replaceAll(address, gitAddress(address).url);
  if (clean === text) {
    return;
  }
  await writeFile(`${file}.gadget`, clean, { mode: found.mode & 0o777 });
  await rename(`${file}.gadget`, file);
}

function split(user: string): [name: string, password: string] {
  const at = user.indexOf(":");
  return at < 0 ? [user, ""] : [user.slice(0, at), user.slice(at + 1)];
}

function decoded(text: string): string {
  try {
    // A new line would be a line of its own in git's own form.
    return decodeURIComponent(text).replace(/[\r\n\0]/g, "");
  } catch {
    return text;
  }
}
