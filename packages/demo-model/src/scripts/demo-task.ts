import type { Conversation } from "../conversation.ts";
import { plan, type Script, type Step, say } from "../script.ts";
import { countMatches, firstLine, looksFailed, namesIn } from "../tool-result.ts";
import { path, pattern } from "../wishes.ts";

const counting = "count the files of this project";
const searching = "look for headings in the Markdown files";
const rhyming = "write a short verse about waiting";

export const demoTasks = [
  { title: "Count the files", task: counting },
  { title: "Look for headings", task: searching },
  { title: "Write a verse", task: rhyming },
];

/** What a subagent of the `subagents` script plays: its prompt holds one of `demoTasks`. */
export const demoTask: Script = {
  id: "demo-task",
  words: /\bdemo task\b/i,
  next(conversation) {
    if (conversation.prompt.includes(counting)) {
      return count(conversation);
    }
    if (conversation.prompt.includes(searching)) {
      return search(conversation);
    }
    return say(
      "Three threads set out at once to play;\ntwo came home early, one lost its way.\nThe parent sat still and counted to three:\n*await them all*, and then let them be.",
    );
  },
};

function count(conversation: Conversation): Step {
  const listed = conversation.calls.at(-1);
  if (listed !== undefined) {
    if (looksFailed(listed.result)) {
      return say(`I could not count: ${firstLine(listed.result)}`);
    }
    return say(`I counted ${namesIn(listed.result).length} entries at the top of this project.`);
  }
  const calls = plan(conversation, { list_files: [path(".")] });
  if (calls.length === 0) {
    return say("I was given no tool to list files with, so I counted none.");
  }
  return { kind: "answer", text: "I list the files.", calls };
}

function search(conversation: Conversation): Step {
  const found = conversation.calls.at(-1);
  if (found !== undefined) {
    if (looksFailed(found.result)) {
      return say(`I could not search: ${firstLine(found.result)}`);
    }
    return say(`I found ${countMatches(found.result)} headings.`);
  }
  const calls = plan(conversation, { grep: [pattern("^#+ "), path(".")] });
  if (calls.length === 0) {
    return say("I was given no tool to search with, so I found nothing.");
  }
  return { kind: "answer", text: "I search for headings.", calls };
}
