/** Who reads a setting: `npm start` (launcher and server), a drone, the `gadget` command, the tests. */
export const settingReaders = ["server", "drone", "cli", "tests"] as const;
export type SettingReader = (typeof settingReaders)[number];

interface Setting {
  readers: readonly SettingReader[];
  /** What holds when it is not set, as it would be written; a default in words is in the meaning. */
  fallback: string;
  meaning: string;
}

const server = ["server"] as const;
const cli = ["cli"] as const;

/** Every variable that a part of the product reads: `--help` and docs/settings.md are made of it. */
export const settings = {
  GADGET_HOST: { readers: server, fallback: "127.0.0.1", meaning: "the address to listen on" },
  GADGET_PORT: { readers: server, fallback: "4180", meaning: "the port to listen on" },
  GADGET_PUBLIC_URL: {
    readers: server,
    fallback: "",
    meaning: "the address under which people and drones reach this server",
  },
  GADGET_ALLOWED_HOSTS: {
    readers: server,
    fallback: "",
    meaning: "further host names that requests may name, separated by commas",
  },
  GADGET_DATA_DIR: {
    readers: ["server", "drone"],
    fallback: "~/.gadget",
    meaning: "where the database, the key file and the local drone's folder are kept",
  },
  GADGET_TRUSTED_PROXIES: {
    readers: server,
    fallback: "loopback",
    meaning:
      "whose word about a visitor's address counts: addresses, subnets or uniquelocal, separated by commas; with GADGET_PUBLIC_URL only",
  },
  GADGET_ENROLL_FILE: {
    readers: server,
    fallback: "",
    meaning: "where a drone that shares this folder asks for a code and gets it",
  },
  GADGET_WORKSPACES: {
    readers: ["server", "drone"],
    fallback: "",
    meaning: "where a drone clones and makes workspaces (default: inside its data folder)",
  },
  GADGET_ROOTS: {
    readers: ["server", "drone"],
    fallback: "",
    meaning:
      "where existing folders may be opened, separated by colons (default: the home folder without dot-folders for the local drone, nowhere for others)",
  },
  GADGET_LOCAL_DRONE: {
    readers: server,
    fallback: "1",
    meaning: "0: start the server without a local drone",
  },
  GADGET_OWNER_EMAIL: {
    readers: server,
    fallback: "",
    meaning: "with GADGET_OWNER_PASSWORD: create the owner at the first start",
  },
  GADGET_OWNER_PASSWORD: { readers: server, fallback: "", meaning: "at least 10 characters" },
  GADGET_SETUP: {
    readers: server,
    fallback: "",
    meaning: "remote: another bind than loopback may start without an owner",
  },
  GADGET_SECRET_KEY: {
    readers: server,
    fallback: "",
    meaning: "32 random bytes as hex or base64 (default: a key file in the data folder)",
  },
  GADGET_DRONE_GRACE: {
    readers: server,
    fallback: "600",
    meaning: "seconds that a silent drone keeps its turns",
  },
  GADGET_LOG_LEVEL: {
    readers: ["server", "drone"],
    fallback: "info",
    meaning: "trace, debug, info, warn, error, fatal or silent; npm start makes it warn",
  },
  MONGODB_URI: {
    readers: server,
    fallback: "",
    meaning: "a MongoDB to use instead of the embedded database",
  },
  REDIS_URL: {
    readers: server,
    fallback: "",
    meaning: "a Redis for several web nodes; needs MONGODB_URI",
  },
  OPENAI_API_KEY: {
    readers: server,
    fallback: "",
    meaning: "create an OpenAI provider at the first start",
  },
  OPENAI_BASE_URL: { readers: server, fallback: "", meaning: "its base URL" },
  OLLAMA_HOST: {
    readers: server,
    fallback: "",
    meaning: "create an Ollama provider at the first start",
  },
  XDG_RUNTIME_DIR: {
    readers: server,
    fallback: "",
    meaning: "where the embedded database's socket is made (default: the temporary folder)",
  },
  GADGET_FETCH_INNER: {
    readers: ["server", "drone"],
    fallback: "0",
    meaning: "1: web_fetch may reach addresses of the drone's own network",
  },
  GADGET_SUPERVISOR: {
    readers: ["server", "drone"],
    fallback: "auto",
    meaning: "best-effort: do without the subreaper that proves that nothing is left",
  },
  HTTPS_PROXY: {
    readers: ["server", "drone"],
    fallback: "",
    meaning: "a drone's way to an https server and to https models",
  },
  HTTP_PROXY: {
    readers: ["server", "drone"],
    fallback: "",
    meaning: "its way to those with plain http",
  },
  NO_PROXY: {
    readers: ["server", "drone"],
    fallback: "",
    meaning: "hosts that it reaches directly, separated by commas",
  },
  NODE_EXTRA_CA_CERTS: {
    readers: ["server", "drone", "cli"],
    fallback: "",
    meaning: "a file with the certificate of a private CA",
  },
  GADGET_SERVER: { readers: cli, fallback: "", meaning: "instead of --server" },
  GADGET_TOKEN: { readers: cli, fallback: "", meaning: "instead of --token" },
  XDG_CONFIG_HOME: {
    readers: cli,
    fallback: "~/.config",
    meaning: "the folder of gadget/, where the logins are kept",
  },
  NO_COLOR: { readers: cli, fallback: "", meaning: "1: no colours" },
  FORCE_COLOR: { readers: cli, fallback: "", meaning: "1: colours also where no terminal is" },
  CHROMIUM_PATH: {
    readers: ["tests"],
    fallback: "",
    meaning: "the browser of the browser tests (default: the system's, else one is installed)",
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

function settingsOf(reader: SettingReader): [name: string, setting: Setting][] {
  return Object.entries<Setting>(settings).filter(([, { readers }]) => readers.includes(reader));
}

/** What `--help` says after the options. */
export function settingsHelp(reader: SettingReader): string {
  const rows = settingsOf(reader);
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  const lines = rows.map(([name, { fallback, meaning }]) => {
    const shown = fallback === "" ? meaning : `${meaning} (${fallback})`;
    return `  ${name.padEnd(width)}${shown}`;
  });
  return `Environment, all optional:\n${lines.join("\n")}\n`;
}

const titles: Record<SettingReader, string> = {
  server: "npm start: the server and its local drone",
  drone: "A drone",
  cli: "The gadget command",
  tests: "The tests",
};

/** docs/settings.md, whole. */
export function settingsPage(): string {
  const parts = settingReaders.map((reader) => {
    const rows = settingsOf(reader).map(
      ([name, { fallback, meaning }]) =>
        `| \`${name}\` | ${fallback === "" ? "" : `\`${fallback}\``} | ${meaning} |`,
    );
    return `## ${titles[reader]}\n\n| variable | default | meaning |\n|---|---|---|\n${rows.join("\n")}\n`;
  });
  return `# Settings

Every setting is an environment variable, and all are optional. A wrong value ends the start with
one sentence. \`--help\` of each program lists the same; this page is made by \`npm run settings\`
from \`packages/api/src/settings.ts\`.

${parts.join("\n")}`;
}
