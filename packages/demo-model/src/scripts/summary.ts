import { type Script, say } from "../script.ts";

/** Answers the request of a client that compacts a long conversation. */
export const summary: Script = {
  id: "summary",
  words: /\bwrite (?:the|a) summary\b/i,
  isPlain: true,
  next({ material }) {
    const prompts = material.match(/^\[user\]/gm)?.length ?? 0;
    const tools = new Set(material.match(/(?<=^\[call of )\w+/gm));
    const used = tools.size === 0 ? "No tool was used" : `Tools used: ${[...tools].join(", ")}`;
    // It must quote no prompt: the words would choose a script when this stands in a history.
    return say(
      `A script, not an AI, made this summary. Messages of the user until here: ${prompts}. ${used}. All answers were scripted, so nothing else has to be kept.`,
    );
  },
};
