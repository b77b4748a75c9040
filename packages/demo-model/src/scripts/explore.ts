import type { Conversation, SettledCall } from "../conversation.ts";
import { call, plan, type Script, say } from "../script.ts";
import { countMatches, fileLines, firstLine, looksFailed, namesIn } from "../tool-result.ts";
import { path, pattern } from "../wishes.ts";

const searchedFor = "TODO|FIXME";

export const explore: Script = {
  id: "explore",
  words: /\bexplore\b|\blist\b.*\bfiles\b/i,
  next(conversation) {
    const listing = resultOf(conversation, "list_files");
    if (listing === undefined) {
      if (conversation.calls.length > 0) {
        return say(summary(conversation));
      }
      return call(conversation, "First I list the files of this project.", {
        list_files: [path(".")],
      });
    }
    if (conversation.calls.length === 1 && !looksFailed(listing.result)) {
      const file = worthReading(namesIn(listing.result));
      const calls = plan(conversation, {
        ...(file !== undefined && { read_file: [path(file)] }),
        grep: [pattern(searchedFor), path(".")],
      });
      const text = `Now I read ${file === undefined ? "nothing, there is no file at the top," : `\`${file}\``} and search for \`${searchedFor}\`, both at once.`;
      if (calls.length > 0) {
        return { kind: "answer", text, calls };
      }
    }
    return say(summary(conversation));
  },
};

function resultOf({ calls }: Conversation, name: string): SettledCall | undefined {
  return calls.find((settled) => settled.name === name);
}

function worthReading(names: string[]): string | undefined {
  const files = names.filter((name) => !name.endsWith("/"));
  return (
    files.find((name) => /^(?:\.\/)?readme(?:\.\w+)?$/i.test(name)) ??
    files.find((name) => /readme|package\.json$/i.test(name)) ??
    files.find((name) => /\.(?:md|txt|json|[cm]?[jt]sx?|py|go|rs|c|h|java|rb|sh)$/i.test(name)) ??
    files[0]
  );
}

function summary(conversation: Conversation): string {
  const sentences = conversation.calls.map((settled) => {
    if (looksFailed(settled.result)) {
      return `- \`${settled.name}\` did not work: ${firstLine(settled.result)}`;
    }
    if (settled.name === "list_files") {
      return listed(settled);
    }
    if (settled.name === "read_file") {
      return read(settled);
    }
    if (settled.name === "grep") {
      return searched(settled);
    }
    return `- \`${settled.name}\` answered: ${firstLine(settled.result)}`;
  });
  return [
    "This is what came back from the tools:",
    "",
    ...sentences,
    "",
    "A real model would now say what the project is for. A script can only count and quote.",
  ].join("\n");
}

function listed({ result }: SettledCall): string {
  const names = namesIn(result);
  if (names.length === 0) {
    return "- The listing is empty: there are no files here yet.";
  }
  const folders = names.filter((name) => name.endsWith("/")).length;
  const shown = names.slice(0, 8).map((name) => `\`${name}\``);
  const more = names.length > shown.length ? `, and ${names.length - shown.length} more` : "";
  const kinds =
    folders > 0 ? `${names.length - folders} files, ${folders} folders` : `${names.length} entries`;
  return `- The listing has ${kinds}: ${shown.join(", ")}${more}.`;
}

function read({ input, result }: SettledCall): string {
  const file = Object.values(input).find((value) => typeof value === "string") ?? "the file";
  const lines = fileLines(result);
  if (lines.length === 0) {
    return `- \`${file}\` is empty.`;
  }
  const quoted = lines.slice(0, 3).map((line) => `  > ${line.slice(0, 160)}`);
  return [
    `- \`${file}\` has ${lines.length} lines with words on them. It begins:`,
    "",
    ...quoted,
    "",
  ].join("\n");
}

function searched({ result }: SettledCall): string {
  const matches = countMatches(result);
  if (matches === 0) {
    return `- The search for \`${searchedFor}\` found nothing.`;
  }
  return `- The search for \`${searchedFor}\` found ${matches} ${matches === 1 ? "match" : "matches"}; the first: \`${firstLine(result)}\`.`;
}
