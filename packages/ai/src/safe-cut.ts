/** Where to cut a text: at the index, or before it where that would part a character's two halves. */
export function safeCut(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff ? Math.max(0, index - 1) : index;
}
