const blocks = "p, li, pre, td, th, h1, h2, h3, h4, h5, h6, summary, div";
const skipped = "button, .sr-only, [aria-hidden='true']";

interface Piece {
  node: Text;
  /** Where its text starts in the whole. */
  at: number;
}

/** Where the words stand below an element, in their order. Colours may split a word; blocks end one. */
export function findInText(root: Element, words: string): Range[] {
  const wanted = words.toLowerCase();
  if (wanted.trim() === "") {
    return [];
  }
  const { text, pieces } = textOf(root);
  const ranges: Range[] = [];
  let piece = 0;
  const place = (at: number): [Text, number] => {
    while ((pieces[piece + 1]?.at ?? Number.POSITIVE_INFINITY) <= at) {
      piece += 1;
    }
    const { node, at: start } = pieces[piece]!;
    return [node, at - start];
  };
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    const range = document.createRange();
    range.setStart(...place(at));
    const [node, last] = place(at + wanted.length - 1);
    range.setEnd(node, last + 1);
    ranges.push(range);
  }
  return ranges;
}

function textOf(root: Element): { text: string; pieces: Piece[] } {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const pieces: Piece[] = [];
  let text = "";
  let block: Element | null = null;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!(node instanceof Text) || parent === null || parent.closest(skipped) !== null) {
      continue;
    }
    const own = parent.closest(blocks);
    if (own !== block) {
      text += "\n";
    }
    block = own;
    pieces.push({ node, at: text.length });
    text += lower(node.data);
  }
  return { text, pieces };
}

/** Some letters get longer in lower case; those stay as they are, so that places stay right. */
function lower(text: string): string {
  const small = text.toLowerCase();
  return small.length === text.length ? small : text;
}
