/** Cuts a text into pieces of about a token each; joined, they are the text. */
export function tokensOf(text: string): string[] {
  return text.match(/\s*\S{1,8}|\s+$/gu) ?? [];
}
