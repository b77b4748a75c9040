import { isIP } from "node:net";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { type SettingName, settings } from "@gadget/api/settings";

/** A wrong value, said in one sentence that names it. */
export class ConfigError extends Error {}

export interface Config {
  host: string;
  port: number;
  publicUrl: URL | undefined;
  allowedHosts: string[];
  trustedProxies: string[];
  enrollFile: string | undefined;
  dataDir: string;
  owner: { email: string; password: string } | undefined;
  setupRemote: boolean;
  secretKey: Uint8Array | undefined;
  graceMs: number;
  logLevel: string;
  mongodbUri: string | undefined;
  redisUrl: string | undefined;
  openai: { apiKey: string | undefined; baseUrl: string | undefined } | undefined;
  ollamaHost: string | undefined;
}

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

/** Reads the environment once; a bad value is named, with what would be right. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const text = (name: SettingName): string => env[name]?.trim() || settings[name].fallback;
  const optional = (name: SettingName): string | undefined => text(name) || undefined;
  const list = (name: SettingName): string[] =>
    text(name)
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean);
  const proxies = (name: SettingName): string[] => {
    const wrong = list(name).find(
      (one) =>
        !/^(loopback|linklocal|uniquelocal)$/.test(one) && isIP(one.split("/")[0] ?? "") === 0,
    );
    if (wrong === undefined) {
      return list(name);
    }
    throw new ConfigError(
      `${name} has "${wrong}"; it must list addresses, subnets, loopback, linklocal or uniquelocal.`,
    );
  };
  const number = (name: SettingName, from: number, to: number): number => {
    const value = Number(text(name));
    if (!Number.isInteger(value) || value < from || value > to) {
      throw new ConfigError(`${name} is "${env[name]}"; it must be a whole number, ${from}-${to}.`);
    }
    return value;
  };
  const url = (name: SettingName, protocols: RegExp): string | undefined => {
    const value = optional(name);
    if (value === undefined) {
      return undefined;
    }
    if (!URL.canParse(value) || !protocols.test(new URL(value).protocol)) {
      throw new ConfigError(`${name} is not a URL that can be used here.`);
    }
    return value;
  };
  const oneOf = (name: SettingName, values: string[]): string => {
    const value = text(name);
    if (values.includes(value)) {
      return value;
    }
    throw new ConfigError(
      `${name} is "${value}"; it must be one of: ${values.filter(Boolean).join(", ")}.`,
    );
  };

  const publicUrl = url("GADGET_PUBLIC_URL", /^https?:$/);
  const mongodbUri = url("MONGODB_URI", /^mongodb(\+srv)?:$/);
  const redisUrl = url("REDIS_URL", /^rediss?:$/);
  if (redisUrl !== undefined && mongodbUri === undefined) {
    throw new ConfigError(
      "REDIS_URL needs MONGODB_URI: several nodes can't share the embedded database.",
    );
  }
  return {
    host: text("GADGET_HOST"),
    port: number("GADGET_PORT", 0, 65_535),
    publicUrl: publicUrl === undefined ? undefined : new URL(publicUrl),
    allowedHosts: list("GADGET_ALLOWED_HOSTS"),
    trustedProxies: proxies("GADGET_TRUSTED_PROXIES"),
    enrollFile: optional("GADGET_ENROLL_FILE"),
    dataDir: resolve(text("GADGET_DATA_DIR").replace(/^~(?=$|\/)/, homedir())),
    owner: ownerOf(optional("GADGET_OWNER_EMAIL"), optional("GADGET_OWNER_PASSWORD")),
    setupRemote: oneOf("GADGET_SETUP", ["", "remote"]) === "remote",
    secretKey: secretKeyOf(optional("GADGET_SECRET_KEY")),
    graceMs: number("GADGET_DRONE_GRACE", 1, 86_400) * 1_000,
    logLevel: oneOf("GADGET_LOG_LEVEL", logLevels),
    mongodbUri,
    redisUrl,
    openai: openaiOf(optional("OPENAI_API_KEY"), url("OPENAI_BASE_URL", /^https?:$/)),
    ollamaHost: ollamaOf(optional("OLLAMA_HOST")),
  };
}

function ownerOf(email: string | undefined, password: string | undefined): Config["owner"] {
  if (email === undefined && password === undefined) {
    return undefined;
  }
  if (email === undefined || password === undefined) {
    throw new ConfigError(
      "GADGET_OWNER_EMAIL and GADGET_OWNER_PASSWORD go together: set both or none.",
    );
  }
  if (!/^[^@\s]+@[^@\s]+$/.test(email)) {
    throw new ConfigError(`GADGET_OWNER_EMAIL is "${email}"; it must be an email address.`);
  }
  if (password.length < 10) {
    throw new ConfigError(
      "GADGET_OWNER_PASSWORD is too short; it must have at least 10 characters.",
    );
  }
  return { email, password };
}

function secretKeyOf(text: string | undefined): Uint8Array | undefined {
  if (text === undefined) {
    return undefined;
  }
  const encoding = /^[0-9a-f]{64}$/i.test(text) ? "hex" : "base64";
  const bytes = Buffer.from(text, encoding);
  if (bytes.length !== 32) {
    throw new ConfigError("GADGET_SECRET_KEY must be 32 bytes, as 64 hex digits or as base64.");
  }
  return bytes;
}

function openaiOf(apiKey: string | undefined, baseUrl: string | undefined): Config["openai"] {
  return apiKey === undefined && baseUrl === undefined ? undefined : { apiKey, baseUrl };
}

/** Ollama's own variable may lack the scheme: `127.0.0.1:11434`. */
function ollamaOf(host: string | undefined): string | undefined {
  if (host === undefined) {
    return undefined;
  }
  const url = host.includes("://") ? host : `http://${host}`;
  if (!URL.canParse(url)) {
    throw new ConfigError(`OLLAMA_HOST is "${host}"; it must be a host or a URL.`);
  }
  return url;
}

export function databaseFolder(config: Config): string {
  return join(config.dataDir, "database");
}
