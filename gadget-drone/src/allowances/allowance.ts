import { createHash } from "node:crypto";
import { basename, relative } from "node:path";
import { harmlessForm } from "./harmless-form.ts";
import { namedFiles } from "./named-files.ts";
import { plainCommands } from "./plain-commands.ts";

/** What "in this session" would allow. */
export interface Allowance {
  /** What must have been allowed; a session keeps these, and nobody else reads them. */
  keys: readonly string[];
  /** For a button: a few words, or the command itself. */
  prefix: string;
  /** A person's words for all of it. */
  allows: string;
}

export interface ShellCall {
  workspace: string;
  /** The real folder in which it runs. */
  folder: string;
  command: string;
  /** Undefined: in the background, where there is no limit. */
  timeoutMs: number | undefined;
}

/** Hashed, so that nothing that a model can write as a command is one. */
function keyOf(kind: "form" | "command" | "site" | "file", ...what: unknown[]): string {
  return `${kind}:${createHash("sha256").update(JSON.stringify(what)).digest("hex")}`;
}

export async function shellAllowance(call: ShellCall): Promise<Allowance> {
  const { workspace, folder, command, timeoutMs } = call;
  const way = { folder: relative(workspace, folder), timeoutMs: timeoutMs ?? null };
  const where = [
    way.folder === "" ? "in the workspace's folder" : `in ${way.folder}`,
    timeoutMs === undefined ? "in the background" : `for at most ${duration(timeoutMs)}`,
  ].join(", ");
  const known = plainCommands(command)?.map(harmlessForm) ?? [undefined];
  const words = [...new Set(known)].flatMap((form) => form ?? []);
  if (!known.includes(undefined)) {
    const keys = words.map((form) => keyOf("form", form, way));
    const allows = `${listed(words)} with options that only look, ${where}.`;
    return { keys, prefix: words.join(", "), allows };
  }
  const files = await namedFiles(workspace, folder, command);
  const names = [...new Set(files.map(({ path }) => basename(path)))];
  const unchanged = names.length === 0 ? "" : `, while ${listed(names)} stay as they are now`;
  const allows = `exactly this command, ${where}${unchanged}.`;
  return { keys: [keyOf("command", command, way, files)], prefix: command, allows };
}

/** By site: what was allowed for one page holds for its others. */
export function fetchAllowance(url: string): Allowance {
  const site = URL.canParse(url) ? new URL(url).origin : url;
  const allows = `every page of ${site}.`;
  return { keys: [keyOf("site", site)], prefix: `web_fetch ${site}`, allows };
}

/** `path`: the real one, relative to the workspace. */
export function changeAllowance(path: string): Allowance {
  return { keys: [keyOf("file", path)], prefix: path, allows: `every change of ${path}.` };
}

/** Any other tool, with the very same input. */
export function callAllowance(name: string, input: unknown): Allowance {
  const allows = `${name} with exactly this input.`;
  return { keys: [keyOf("command", name, input)], prefix: name, allows };
}

function listed(names: readonly string[]): string {
  if (names.length < 2) {
    return names.join("");
  }
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function duration(ms: number): string {
  if (ms < 1_000) {
    return `${ms} ms`;
  }
  if (ms % 60_000 === 0) {
    return `${ms / 60_000} min`;
  }
  return `${ms / 1_000} s`;
}
