/** How well a path fits: the smaller, the better. Undefined: not at all. */
export type FuzzyRank = (path: string) => number | undefined;

/** More than what the gaps and the length of a path can add up to. */
const step = 10_000_000;
const gap = 10_000;

/**
 * For what somebody typed of a path: its letters in their order, in either case, blanks left out.
 * What stands together in the name of the file comes before what is scattered over the path, and
 * a short path before a long one. In steps that are linear in the path.
 */
export function fuzzyRank(typed: string): FuzzyRank {
  const wanted = typed.replace(/\s+/g, "").toLowerCase();
  return (path) => {
    const text = path.toLowerCase();
    const name = text.slice(text.lastIndexOf("/") + 1);
    const kind = kindOf(text, name, wanted);
    if (kind !== undefined) {
      return kind * step + path.length;
    }
    const inName = gapsIn(name, wanted);
    if (inName !== undefined) {
      return 5 * step + inName * gap + path.length;
    }
    const inPath = gapsIn(text, wanted);
    return inPath === undefined ? undefined : 6 * step + inPath * gap + path.length;
  };
}

/** Where the letters stand together. */
function kindOf(path: string, name: string, wanted: string): number | undefined {
  if (name === wanted || path === wanted) {
    return 0;
  }
  if (name.startsWith(wanted)) {
    return 1;
  }
  const at = name.indexOf(wanted);
  if (at > 0) {
    return /[\p{L}\p{N}]/u.test(name[at - 1] ?? "") ? 3 : 2;
  }
  return path.includes(wanted) ? 4 : undefined;
}

/** Between the letters, looked for from the end: there the name of the file is. */
function gapsIn(text: string, wanted: string): number | undefined {
  let gaps = 0;
  let before = text.length;
  for (let letter = wanted.length - 1; letter >= 0; letter--) {
    const at = before === 0 ? -1 : text.lastIndexOf(wanted[letter] ?? "", before - 1);
    if (at < 0) {
      return undefined;
    }
    if (at < before - 1 && letter < wanted.length - 1) {
      gaps++;
    }
    before = at;
  }
  return gaps;
}
