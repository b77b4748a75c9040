import { closeSync, readFileSync } from "node:fs";

/** What the server alone may know; start.sh names the same. */
export const secretNames = [
  "GADGET_SECRET_KEY",
  "GADGET_OWNER_EMAIL",
  "GADGET_OWNER_PASSWORD",
  "MONGODB_URI",
  "REDIS_URL",
  "OPENAI_API_KEY",
];

/**
 * Parts an environment into what every part may know and what the server alone may.
 * @param {NodeJS.ProcessEnv} env
 */
export function withoutSecrets(env) {
  const entries = Object.entries(env);
  /** @type {NodeJS.ProcessEnv} */
  const known = Object.fromEntries(entries.filter(([name]) => !secretNames.includes(name)));
  const secrets = Object.fromEntries(
    entries.flatMap(([name, value]) =>
      value !== undefined && secretNames.includes(name) ? [[name, value]] : [],
    ),
  );
  return { known, secrets };
}

/** What start.sh has left on file descriptor 3: a line for each. */
export function readSecrets() {
  const text = readFileSync(3, "utf8");
  closeSync(3);
  return parseSecrets(text);
}

/**
 * A value may have lines of its own: whatever does not begin with a known name belongs to the last.
 * @param {string} text
 */
export function parseSecrets(text) {
  /** @type {Record<string, string>} */
  const secrets = {};
  let last = "";
  for (const line of text.replace(/\n+$/, "").split("\n")) {
    const name = line.slice(0, Math.max(0, line.indexOf("=")));
    if (secretNames.includes(name)) {
      last = name;
      secrets[name] = line.slice(name.length + 1);
    } else if (last !== "") {
      secrets[last] += `\n${line}`;
    }
  }
  return secrets;
}
