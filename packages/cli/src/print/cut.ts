/** The text, or its beginning and an ellipsis. */
export function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** The first line that says something. */
export function firstLine(text: string): string {
  return text.trimStart().split("\n", 1)[0]?.trimEnd() ?? "";
}
