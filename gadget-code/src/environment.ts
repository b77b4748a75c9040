/** Every variable that the product reads: for `--help`, and for the parser in config.ts. */
export const environment = {
  GADGET_HOST: ["127.0.0.1", "the address to listen on"],
  GADGET_PORT: ["4180", "the port to listen on"],
  GADGET_PUBLIC_URL: ["", "the address under which people and drones reach this server"],
  GADGET_ALLOWED_HOSTS: ["", "further host names that requests may name, separated by commas"],
  GADGET_DATA_DIR: ["~/.gadget", "where the database, the key file and the local drone live"],
  GADGET_TRUSTED_PROXIES: [
    "loopback",
    "whose word about a visitor's address counts: addresses, subnets or uniquelocal, separated by commas; with GADGET_PUBLIC_URL only",
  ],
  GADGET_ENROLL_FILE: ["", "where a drone that shares this folder asks for a code and gets it"],
  GADGET_WORKSPACES: ["", "where a drone clones and makes workspaces (default: its data folder)"],
  GADGET_ROOTS: ["", "where existing folders may be opened, separated by colons"],
  GADGET_LOCAL_DRONE: ["1", "0: start the server without a local drone"],
  GADGET_OWNER_EMAIL: ["", "with GADGET_OWNER_PASSWORD: create the owner at the first start"],
  GADGET_OWNER_PASSWORD: ["", "at least 10 characters"],
  GADGET_SETUP: ["", "remote: another bind than loopback may start without an owner"],
  GADGET_SECRET_KEY: [
    "",
    "32 random bytes as hex or base64 (default: a key file in the data folder)",
  ],
  GADGET_DRONE_GRACE: ["600", "seconds that a silent drone keeps its turns"],
  GADGET_LOG_LEVEL: ["info", "trace, debug, info, warn, error, fatal or silent"],
  MONGODB_URI: ["", "a MongoDB to use instead of the embedded database"],
  REDIS_URL: ["", "a Redis for several web nodes; needs MONGODB_URI"],
  OPENAI_API_KEY: ["", "create an OpenAI provider at the first start"],
  OPENAI_BASE_URL: ["", "its base URL"],
  OLLAMA_HOST: ["", "create an Ollama provider at the first start"],
} as const satisfies Record<string, readonly [fallback: string, meaning: string]>;

export type Variable = keyof typeof environment;

export function environmentHelp(): string {
  const rows = Object.entries(environment).map(([name, [fallback, meaning]]) => {
    const shown = fallback === "" ? meaning : `${meaning} (${fallback})`;
    return `  ${name.padEnd(24)}${shown}`;
  });
  return `Environment, all optional:\n${rows.join("\n")}\n`;
}
