import { expandBraces } from "./expand-braces.ts";
import { type NameMatcher, nameMatcher } from "./name-matcher.ts";

export interface GlobOptions {
  /** Whether `{a,b}` stands for each of its choices, as in a shell; ignore files know no braces. */
  braces?: boolean;
}

/** In place of a name: any number of folders. */
const anyFolders = "**";
type Step = NameMatcher | typeof anyFolders;

/**
 * Whether a path with slashes is one that the glob stands for: `*` and `?` stay within a name, `**`
 * as a whole name does not, `[...]` and `{a,b}` as usual. There is no backtracking but to the latest
 * star: the steps of a match are at most the product of the two lengths, whatever the pattern is.
 */
export function globMatcher(
  glob: string,
  { braces = true }: GlobOptions = {},
): (path: string) => boolean {
  const ways = (braces ? expandBraces(glob) : [glob]).map(steps);
  return (path) => {
    const names = path.split("/");
    return ways.some((way) => matches(way, names));
  };
}

function steps(glob: string): Step[] {
  const way: Step[] = [];
  const names = glob.split("/");
  names.forEach((name, index) => {
    if (name !== anyFolders) {
      way.push(nameMatcher(name));
    } else if (way.at(-1) !== anyFolders) {
      way.push(anyFolders);
    }
    // What is in a folder, at any depth, but not the folder itself.
    if (name === anyFolders && index === names.length - 1) {
      way.push(nameMatcher("*"));
    }
  });
  return way;
}

function matches(way: readonly Step[], names: readonly string[]): boolean {
  let step = 0;
  let name = 0;
  /** The latest `**`, and how many names it has taken so far. */
  let open = -1;
  let taken = 0;
  while (name < names.length) {
    const here = way[step];
    if (here === anyFolders) {
      open = step++;
      taken = name;
    } else if (here?.(names[name] ?? "") === true) {
      step++;
      name++;
    } else if (open >= 0) {
      step = open + 1;
      name = ++taken;
    } else {
      return false;
    }
  }
  return step === way.length;
}
