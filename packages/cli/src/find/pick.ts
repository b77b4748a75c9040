import { exitCodes } from "../exit-code.ts";
import { Problem } from "../problem.ts";

export interface PickOptions<Item> {
  /** As in "no such NOUN". */
  noun: string;
  id: (item: Item) => string;
  /** The name that a person knows it by, where it has one. */
  name?: (item: Item) => string;
  /** A line for the list of candidates. */
  describe: (item: Item) => string;
}

const shownCandidates = 10;

/** The one item that is meant by an id, a name, or the beginning of either. */
export function pick<Item>(items: readonly Item[], text: string, options: PickOptions<Item>): Item {
  const { noun, id, describe } = options;
  const wanted = text.toLowerCase();
  const name = (item: Item) => options.name?.(item).toLowerCase() ?? "";
  const ways = [
    (item: Item) => id(item) === text,
    (item: Item) => name(item) === wanted,
    (item: Item) => id(item).startsWith(text),
    (item: Item) => name(item).startsWith(wanted),
  ];
  for (const way of text === "" ? [] : ways) {
    const found = items.filter(way);
    const [first] = found;
    if (first !== undefined && found.length === 1) {
      return first;
    }
    if (first !== undefined) {
      throw ambiguous(found.map(describe), text, noun);
    }
  }
  throw new Problem(`There is no ${noun} "${text}", or it is not yours.`, exitCodes.notFound);
}

function ambiguous(candidates: string[], text: string, noun: string): Problem {
  const shown = candidates.slice(0, shownCandidates);
  const left = candidates.length - shown.length;
  if (left > 0) {
    shown.push(`… and ${left} more`);
  }
  const lines = [`"${text}" can mean more than one ${noun}. Write more of it:`, ...shown];
  return new Problem(lines.join("\n  "), exitCodes.usage, "ambiguous");
}
