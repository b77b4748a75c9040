import type { Breath } from "../../breath.ts";
import { isAside } from "../aside-files.ts";
import { globMatcher } from "./glob-matcher.ts";
import { nameMatcher } from "./name-matcher.ts";

interface Rule {
  /** `path` is relative to the folder of the rule's file, `name` its last part. */
  matches: (path: string, name: string) => boolean;
  /** `!pattern`: is not ignored after all. */
  negated: boolean;
  folderOnly: boolean;
}

/** Never of interest, whatever the ignore files say. */
export const alwaysIgnored: readonly string[] = [".git", "node_modules", ".hg", ".svn"];

export const rulesFile = ".gitignore";
/** Larger files of rules are not obeyed. */
export const largestRules = 256 * 1024;

const mostRules = 5_000;
const longestRule = 1_000;

/** The rules of one .gitignore file and those of the folders above it. */
export class IgnoreRules {
  /** What of the file is not obeyed, and why. */
  readonly problem: string | undefined;
  readonly #parent: IgnoreRules | undefined;
  /** The folder of the file, relative to the workspace, "" or with a slash at its end. */
  readonly #base: string;
  /** The last one of the file first. */
  readonly #rules: readonly Rule[];

  constructor(base: string, text: string, parent?: IgnoreRules) {
    this.#base = base;
    this.#parent = parent;
    const lines = text.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#"));
    const usable = lines.filter((line) => line.length <= longestRule).slice(0, mostRules);
    this.#rules = usable.flatMap(parseRule).reverse();
    if (usable.length < lines.length) {
      const left = lines.length - usable.length;
      this.problem = `${left} of its lines are more than ${mostRules} or longer than ${longestRule}`;
    }
  }

  /** `path` is relative to the workspace, without a slash at its end. */
  async ignores(path: string, isFolder: boolean, breath: Breath): Promise<boolean> {
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (alwaysIgnored.includes(name) || isAside(name)) {
      return true;
    }
    return (await this.#verdict(path, name, isFolder, breath)) ?? false;
  }

  /** The last rule that matches decides, and the nearest file before those above it. */
  async #verdict(
    path: string,
    name: string,
    isFolder: boolean,
    breath: Breath,
  ): Promise<boolean | undefined> {
    const own = path.slice(this.#base.length);
    for (const { matches, negated, folderOnly } of this.#rules) {
      if (breath.due) {
        await breath.take();
      }
      if ((isFolder || !folderOnly) && matches(own, name)) {
        return !negated;
      }
    }
    const parent = this.#parent;
    return parent === undefined ? undefined : parent.#verdict(path, name, isFolder, breath);
  }
}

function parseRule(line: string): Rule[] {
  const text = withoutSpaces(line);
  const negated = text.startsWith("!");
  let pattern = negated ? text.slice(1) : text;
  const folderOnly = pattern.endsWith("/");
  if (folderOnly) {
    pattern = pattern.slice(0, -1);
  }
  if (pattern === "") {
    return [];
  }
  // A slash in front or in the middle binds the pattern to the file's own folder.
  if (!pattern.includes("/")) {
    const matchesName = nameMatcher(pattern);
    return [{ matches: (_, name) => matchesName(name), negated, folderOnly }];
  }
  const matches = globMatcher(pattern.startsWith("/") ? pattern.slice(1) : pattern, {
    braces: false,
  });
  return [{ matches, negated, folderOnly }];
}

/** Spaces at the end count only behind a backslash. */
function withoutSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && " \t\r".includes(line[end - 1] ?? "x") && line[end - 2] !== "\\") {
    end--;
  }
  return line.slice(0, end);
}
