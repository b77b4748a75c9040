import type { PartOf } from "@gadget/api";

/** What a tool does, in a word for each state. A tool that is not listed shows its own name. */
const verbs: Record<string, [live: string, ended: string]> = {
  shell: ["Running", "Ran"],
  read_file: ["Reading", "Read"],
  write_file: ["Writing", "Wrote"],
  edit_file: ["Editing", "Edited"],
  list_files: ["Listing", "Listed"],
  glob: ["Finding", "Found"],
  grep: ["Searching", "Searched"],
  ask_user: ["Asking", "Asked"],
  wait: ["Waiting", "Waited"],
  todo: ["Planning", "Planned"],
  web_fetch: ["Fetching", "Fetched"],
  spawn_agent: ["Starting a subagent", "Started a subagent"],
  spawn_agents: ["Starting subagents", "Started subagents"],
};

/** The argument that says most, by the names that tools give it. */
const telling = ["command", "pattern", "path", "url", "question", "title", "prompt"];

/** What it would do, while a person has not said whether it may. */
const wishes: Record<string, string> = {
  shell: "Wants to run",
  write_file: "Wants to write",
  edit_file: "Wants to edit",
  web_fetch: "Wants to fetch",
};

/** `approval`: the one that stands for this call. */
export function toolTitle(
  part: PartOf<"tool">,
  approval?: PartOf<"approval">,
): { verb: string; detail: string } {
  const said = approval?.command?.split("\n", 1)[0] ?? detailOf(part);
  const detail = said === "." ? "the workspace" : said;
  if (approval?.open) {
    return { verb: wishes[part.name] ?? `Wants to use ${part.name}`, detail };
  }
  if (part.outcome === "never_started") {
    return { verb: notRun(approval), detail };
  }
  const [live, ended] = verbs[part.name] ?? [part.name, part.name];
  return { verb: part.state === "ended" ? ended : live, detail };
}

function notRun(approval: PartOf<"approval"> | undefined): string {
  if (approval?.decision !== "deny") {
    return "Not run";
  }
  return `Not run: denied${approval.by ? ` by ${approval.by.name}` : ""}`;
}

const code = /\n\[ended with (?:exit code (\d+)|(SIG[A-Z0-9]+))\]/g;

/** `exit 3`, as the drone told the model; undefined: it ended well, or is no command. */
export function exitWord({ name, result }: PartOf<"tool">): string | undefined {
  if (name !== "shell") {
    return undefined;
  }
  const [, exit, signal] = [...(result ?? "").matchAll(code)].at(-1) ?? [];
  return exit === undefined ? signal : `exit ${exit}`;
}

/** The same argument while the model is still writing it: JSON that has no end yet. */
const unfinished = new RegExp(`"(?:${telling.join("|")})"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)`);

function detailOf({ input, inputText = "" }: PartOf<"tool">): string {
  if (typeof input !== "object" || input === null) {
    const [, text = ""] = unfinished.exec(inputText.slice(0, 2_000)) ?? [];
    return (text.split("\\n", 1)[0] ?? "").replace(/\\(["\\/])/g, "$1");
  }
  const given = new Map(Object.entries(input));
  for (const name of telling) {
    const value: unknown = given.get(name);
    if (typeof value === "string") {
      return value.split("\n", 1)[0] ?? "";
    }
  }
  return "";
}
