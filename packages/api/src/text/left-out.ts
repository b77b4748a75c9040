const marker = /\[\.\.\. (\d+) lines, (\d+) characters left out \.\.\.\]/g;

/** Its lines, and those that were left out of it already. */
export function linesIn(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    lines += 1;
  }
  for (const [, left] of text.matchAll(marker)) {
    lines += Number(left);
  }
  return lines;
}

/** Stands in a log where something was left out of its middle. */
export function leftOutMarker(lines: number, characters: number): string {
  return `\n[... ${lines} lines, ${characters} characters left out ...]\n`;
}

/** The beginning of a text; half of a character pair would be no text. */
export function headOf(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");
}

export function tailOf(text: string, length: number): string {
  return text.length <= length
    ? text
    : text.slice(text.length - length).replace(/^[\uDC00-\uDFFF]/, "");
}

/** Head and tail of a log; what is left out is said. */
export function withoutMiddle(text: string, longest: number): string {
  if (text.length <= longest) {
    return text;
  }
  const half = Math.floor(longest / 2);
  const head = headOf(text, half);
  const tail = tailOf(text, half);
  const middle = text.slice(head.length, text.length - tail.length);
  let characters = middle.length;
  for (const [, , left] of middle.matchAll(marker)) {
    characters += Number(left);
  }
  return head + leftOutMarker(linesIn(middle), characters) + tail;
}
