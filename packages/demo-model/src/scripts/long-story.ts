import { type Script, say } from "../script.ts";
import { story } from "../story/story.ts";

export const longStory: Script = {
  id: "long-story",
  words: /\blong story\b|\btell (?:me )?a story\b/i,
  next({ said }) {
    const told = toldUpTo(said);
    const rest = story.slice(told).trimStart();
    if (told === 0) {
      return say(story);
    }
    return say(rest === "" ? "That was the whole story; there is no more of it." : rest);
  },
};

/** How much of the story was told already, so that "Continue" goes on in mid-sentence. */
function toldUpTo(said: string): number {
  const tail = said.trimEnd().slice(-80);
  const index = tail.length < 20 ? -1 : story.lastIndexOf(tail);
  return index < 0 ? 0 : index + tail.length;
}
