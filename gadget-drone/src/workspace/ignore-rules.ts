import { isAside } from "./aside-files.ts";
import { globToRegExp } from "./glob-pattern.ts";

interface Rule {
  matches: RegExp;
  /** `!pattern`: is not ignored after all. */
  negated: boolean;
  folderOnly: boolean;
}

/** Never of interest, whatever the ignore files say. */
const always = new Set([".git", "node_modules", ".hg", ".svn"]);

/** The rules of one .gitignore file and those of the folders above it. */
export class IgnoreRules {
  readonly #parent: IgnoreRules | undefined;
  /** The folder of the file, relative to the workspace, "" or with a slash at its end. */
  readonly #base: string;
  readonly #rules: readonly Rule[];

  constructor(base: string, text: string, parent?: IgnoreRules) {
    this.#base = base;
    this.#parent = parent;
    this.#rules = text.split(/\r?\n/).flatMap(parseRule);
  }

  /** `path` is relative to the workspace, without a slash at its end. */
  ignores(path: string, isFolder: boolean): boolean {
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (always.has(name) || isAside(name)) return true;
    return this.#verdict(path, isFolder) ?? false;
  }

  /** The last rule that matches decides, and the nearest file before those above it. */
  #verdict(path: string, isFolder: boolean): boolean | undefined {
    const own = path.slice(this.#base.length);
    const rule = this.#rules.findLast(
      ({ matches, folderOnly }) => (isFolder || !folderOnly) && matches.test(own),
    );
    if (rule !== undefined) return !rule.negated;
    return this.#parent === undefined ? undefined : this.#parent.#verdict(path, isFolder);
  }
}

function parseRule(line: string): Rule[] {
  const text = line.replace(/(?<!\\)\s+$/, "");
  if (text === "" || text.startsWith("#")) return [];
  const negated = text.startsWith("!");
  let pattern = negated ? text.slice(1) : text;
  const folderOnly = pattern.endsWith("/");
  if (folderOnly) pattern = pattern.slice(0, -1);
  // A slash in front or in the middle binds the pattern to the file's own folder.
  const bound = pattern.includes("/");
  if (pattern.startsWith("/")) pattern = pattern.slice(1);
  try {
    return [{ matches: globToRegExp(bound ? pattern : `**/${pattern}`), negated, folderOnly }];
  } catch {
    return [];
  }
}
