import type { ChatRequest } from "./chat-request.ts";
import { type Conversation, readConversation } from "./conversation.ts";
import type { Script, Step } from "./script.ts";
import { askQuestion } from "./scripts/ask-question.ts";
import { demoTask } from "./scripts/demo-task.ts";
import { error } from "./scripts/error.ts";
import { explore } from "./scripts/explore.ts";
import { greeting } from "./scripts/greeting.ts";
import { longCommand } from "./scripts/long-command.ts";
import { longStory } from "./scripts/long-story.ts";
import { subagents } from "./scripts/subagents.ts";
import { summary } from "./scripts/summary.ts";
import { think } from "./scripts/think.ts";
import { wontStop } from "./scripts/wont-stop.ts";
import { writeFile } from "./scripts/write-file.ts";

export const introduction = "I am a script, not an AI: everything I say was written beforehand.";

/** The first whose words are in the prompt is played. */
const scripts: Script[] = [
  summary,
  demoTask,
  error,
  wontStop,
  longStory,
  longCommand,
  subagents,
  writeFile,
  askQuestion,
  explore,
  think,
];

export function scriptFor(prompt: string): Script {
  return scripts.find(({ words }) => words.test(prompt)) ?? greeting;
}

/** The conversation that a request carries, and the next step of its script. */
export function nextStep(request: ChatRequest): { prompt: string; step: Step } {
  const conversation = readConversation(request, (prompt) => scriptFor(prompt) !== greeting);
  const { prompt } = conversation;
  const script = scriptFor(prompt);
  const step = script.next(conversation);
  if (step.kind === "failure" || script.isPlain) {
    return { prompt, step };
  }
  const text = [...openingSentences(conversation), step.text].join("\n\n");
  return { prompt, step: { ...step, text } };
}

function openingSentences({ answers, interrupted, aside }: Conversation): string[] {
  const sentences: string[] = [];
  if (!answers.some((answer) => answer.includes(introduction))) {
    sentences.push(introduction);
  }
  if (interrupted) {
    sentences.push("I see that the turn before this one ended early.");
  }
  if (aside !== undefined) {
    const heard = aside.trim().replace(/\s+/g, " ").slice(0, 120);
    sentences.push(
      `I read your message, “${heard}”; a script can't change its course, so I go on.`,
    );
  }
  return sentences;
}
