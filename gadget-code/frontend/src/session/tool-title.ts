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

export function toolTitle(part: PartOf<"tool">): { verb: string; detail: string } {
  const [live, ended] = verbs[part.name] ?? [part.name, part.name];
  return { verb: part.state === "ended" ? ended : live, detail: detailOf(part) };
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
    if (typeof value === "string") return value.split("\n", 1)[0] ?? "";
  }
  return "";
}
