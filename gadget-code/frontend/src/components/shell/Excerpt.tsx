/** With this many characters before them the words still fit on a narrow screen. */
const before = 24;

/** What was found, with the words marked and in sight. */
export function Excerpt({ text, words }: { text: string; words: string }) {
  const at = text.toLowerCase().indexOf(words.toLowerCase());
  if (at === -1) {
    return text;
  }
  const from = at <= before ? 0 : at - before;
  return (
    <>
      {from > 0 && "…"}
      {text.slice(from, at)}
      <mark className="rounded-sm bg-yellow-soft text-yellow">
        {text.slice(at, at + words.length)}
      </mark>
      {text.slice(at + words.length)}
    </>
  );
}
