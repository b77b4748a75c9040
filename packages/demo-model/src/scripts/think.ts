import type { Script } from "../script.ts";

export const think: Script = {
  id: "think",
  words: /\bthink\b|\breason(?:ing)?\b/i,
  next: () => ({
    kind: "answer",
    reasoning: [
      "The user would like to see reasoning, so here is a puzzle that has some in it.",
      "Three switches, one lamp in another room, and a single visit to that room.",
      "Light alone tells only two cases apart, on and off, and I need three.",
      "A lamp that has been on is warm. That makes three cases: lit, dark and warm, dark and cold.",
      "So: first switch on for a while, then off; second switch on; then go and look.",
    ].join("\n"),
    text: "Turn the first switch on for some minutes, turn it off, turn the second one on, and walk over. A lit lamp belongs to the second switch, a dark and warm one to the first, a dark and cold one to the third. The reasoning above was written beforehand, as was this answer.",
  }),
};
