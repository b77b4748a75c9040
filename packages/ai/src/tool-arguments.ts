import type { AiToolArguments } from "./api.ts";
import { isRecord, parseJson } from "./json.ts";

/**
 * Turns the text of a call's arguments into a value. `cutOff`: the answer ended at its length
 * limit, so that an empty text is a call cut in half and not a call without arguments.
 */
export function parseToolArguments(text: string, cutOff: boolean): AiToolArguments {
  const trimmed = text.trim();
  if (trimmed === "" && !cutOff) {
    return { ok: true, value: {} };
  }
  const parsed = parseJson(trimmed);
  const value = typeof parsed === "string" ? parseJson(parsed) : parsed;
  if (isRecord(value)) {
    return { ok: true, value };
  }
  const error = cutOff
    ? "The answer reached its length limit before the arguments were complete."
    : "The arguments are not a JSON object.";
  return { ok: false, text, error };
}
