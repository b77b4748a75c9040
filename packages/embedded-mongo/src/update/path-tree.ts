import { CommandError } from "../bson/command-error.ts";

interface Node {
  readonly children: Map<string, Node>;
  isEnd: boolean;
}

/** The paths of one update: none may be equal to another, or lie above or below it. */
export class PathTree {
  readonly #root: Node = { children: new Map(), isEnd: false };

  add(path: readonly string[]): void {
    let node = this.#root;
    for (const [i, name] of path.entries()) {
      let child = node.children.get(name);
      if (child === undefined) {
        child = { children: new Map(), isEnd: false };
        node.children.set(name, child);
      } else if (child.isEnd) {
        throw conflict(path, path.slice(0, i + 1));
      }
      node = child;
    }
    if (node.isEnd || node.children.size > 0) {
      throw conflict(path, path);
    }
    node.isEnd = true;
  }
}

function conflict(path: readonly string[], at: readonly string[]): CommandError {
  return new CommandError(
    "ConflictingUpdateOperators",
    `Updating the path '${path.join(".")}' would create a conflict at '${at.join(".")}'`,
  );
}

/** New fields come in this order: by name, and numbers by value. */
export function comparePaths(a: readonly string[], b: readonly string[]): number {
  for (const [i, name] of a.entries()) {
    const other = b[i];
    if (other === undefined) {
      return 1;
    }
    if (name === other) {
      continue;
    }
    if (/^\d+$/.test(name) && /^\d+$/.test(other)) {
      return Number(name) - Number(other);
    }
    return name < other ? -1 : 1;
  }
  return a.length - b.length;
}
