import type { WantedValue, Wish } from "./fit-arguments.ts";

/** A parameter by its usual name, and by the names that other versions of a tool may give it. */
const wish =
  (name: string, like: RegExp) =>
  (value: WantedValue): Wish => ({ name, like, value });

export const path = wish("path", /path|file|folder|dir/i);
export const content = wish("content", /content|text|body|data/i);
export const oldText = wish("oldText", /old|search|find|before/i);
export const newText = wish("newText", /new|replace|after/i);
export const pattern = wish("pattern", /pattern|regex|query|search/i);
export const command = wish("command", /command|cmd|script/i);
export const timeoutMs = wish("timeoutMs", /timeout.*ms|timeout.*millis/i);
export const question = wish("question", /question|prompt|text|message/i);
export const options = wish("options", /option|choice|answer/i);
export const agents = wish("agents", /agents|tasks|children/i);
export const prompt = wish("prompt", /prompt|task|instruction|goal/i);
export const title = wish("title", /title|name|label/i);
