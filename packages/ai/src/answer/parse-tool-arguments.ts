import type { AiToolArguments } from "../api.ts";
import { isRecord, parseJson } from "../json-record.ts";

/** What a call may carry: more is not parsed, and the model is told what to do instead. */
export const argumentLimits = { characters: 1_000_000, depth: 64, values: 20_000 };

/** Of arguments that are refused for their size the model needs to see only which they were. */
const keptOfRefused = 2_000;

/**
 * Turns the text of a call's arguments into a value. `cutOff`: the answer ended at its length
 * limit, so that an empty text is a call cut in half and not a call without arguments.
 */
export function parseToolArguments(text: string, cutOff: boolean): AiToolArguments {
  const trimmed = text.trim();
  if (trimmed === "" && !cutOff) {
    return { ok: true, value: {} };
  }
  const outer = parseWithin(trimmed);
  const { value, tooMuch } = typeof outer.value === "string" ? parseWithin(outer.value) : outer;
  if (isRecord(value)) {
    return { ok: true, value };
  }
  if (tooMuch !== undefined) {
    return { ok: false, text: text.slice(0, keptOfRefused), error: tooMuch };
  }
  const error = cutOff
    ? "The answer reached its length limit before the arguments were complete."
    : "The arguments are not a JSON object.";
  return { ok: false, text, error };
}

function parseWithin(text: string): { value?: unknown; tooMuch?: string } {
  const tooMuch = problemOf(text);
  return tooMuch === undefined ? { value: parseJson(text) } : { tooMuch };
}

/** Looks at the text once, before anything is built of it. */
function problemOf(text: string): string | undefined {
  const { characters, depth: deepest, values: most } = argumentLimits;
  if (text.length > characters) {
    return `The arguments have ${text.length} characters, of which ${characters} are taken. Do it in smaller steps.`;
  }
  let depth = 0;
  let values = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (inString) {
      at += char === "\\" ? 1 : 0;
      inString = char !== '"';
    } else if (char === '"') {
      inString = true;
    } else if (char === "[" || char === "{") {
      values++;
      if (++depth > deepest) {
        return `The arguments are nested more than ${deepest} levels deep. Send flatter ones.`;
      }
    } else if (char === "]" || char === "}") {
      depth--;
    } else if (char === ",") {
      values++;
    }
    if (values > most) {
      return `The arguments have more than ${most} values. Do it in smaller steps.`;
    }
  }
  return undefined;
}
