import { plainText } from "./plain-text.ts";

const telling = ["command", "pattern", "path", "url", "question", "prompt", "query"];

/** A call's arguments as one line: the one that tells most, else all of them. */
export function toolInput(input: unknown): string {
  if (typeof input !== "object" || input === null) {
    return input === undefined ? "" : line(input);
  }
  const fields = new Map<string, unknown>(Object.entries(input));
  const known = telling.filter((name) => typeof fields.get(name) === "string");
  const first = known[0];
  if (first === undefined) {
    return fields.size === 0 ? "" : line(input);
  }
  const others = known.slice(1).map((name) => `${name}: ${line(fields.get(name))}`);
  return [line(fields.get(first)), ...others].join("  ");
}

function line(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return plainText(text)
    .replace(/\s*\n\s*/g, " ⏎ ")
    .trim();
}
