/** An `@path` that is being written, just before the caret. */
export interface FileMention {
  /** Where the `@` stands. */
  start: number;
  /** The folder that is complete already, and the beginning of a name in it. */
  folder: string;
  prefix: string;
}

const unfinished = /(?:^|\s)@((?:[^\s@]*\/)?)([^\s@/]*)$/;

export function mentionAt(text: string, caret: number): FileMention | undefined {
  const match = unfinished.exec(text.slice(0, caret));
  if (match === null) {
    return undefined;
  }
  const [, folder = "", prefix = ""] = match;
  return { start: caret - prefix.length - folder.length - 1, folder, prefix };
}

/** Puts the chosen path in place of what was written of it. A folder leaves the mention open. */
export function completeMention(
  text: string,
  caret: number,
  { start }: FileMention,
  path: string,
  isFolder: boolean,
): { text: string; caret: number } {
  const inserted = `@${path}${isFolder ? "/" : " "}`;
  return {
    text: text.slice(0, start) + inserted + text.slice(caret),
    caret: start + inserted.length,
  };
}
