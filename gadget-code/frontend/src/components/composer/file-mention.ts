/** An `@path` that is being written, just before the caret. */
export interface FileMention {
  /** Where the `@` stands. */
  start: number;
  /** What is written of the path. */
  wanted: string;
}

const unfinished = /(?:^|\s)@([^\s@]*)$/;

export function mentionAt(text: string, caret: number): FileMention | undefined {
  const wanted = unfinished.exec(text.slice(0, caret))?.[1];
  return wanted === undefined ? undefined : { start: caret - wanted.length - 1, wanted };
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
