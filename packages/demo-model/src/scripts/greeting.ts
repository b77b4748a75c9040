import { type Script, say } from "../script.ts";
import { demoScripts } from "../suggestions.ts";

/** Answers every prompt that no other script knows. */
export const greeting: Script = {
  id: "greeting",
  words: /^/,
  next: () =>
    say(
      [
        "Nice to have you here. I am a script and answer to these words:",
        "",
        ...demoScripts.map(({ prompt, description }) => `- **${prompt}**: ${description}`),
        "",
        "Add “fast” to any of them to hurry me. For real work, add a provider in the settings.",
      ].join("\n"),
    ),
};
