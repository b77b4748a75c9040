import type { FileChange } from "@gadget/api";
import type { TurnChanges } from "../workspace/changes/turn-changes.ts";

const afterAbortMs = 2_000;
const longestMs = 15_000;

/** Which of the turn's files people have been shown, and how. */
export class FilesSeen {
  readonly #show: (file: FileChange) => void;
  /** What was said of each file last. */
  readonly #said = new Map<string, string>();

  constructor(show: (file: FileChange) => void) {
    this.#show = show;
  }

  changed(file: FileChange): void {
    const said = JSON.stringify(file);
    if (this.#said.get(file.path) !== said) {
      this.#said.set(file.path, said);
      this.#show(file);
    }
  }

  /** At the turn's end: what its commands have changed is known only then. */
  async end(changes: TurnChanges, signal: AbortSignal): Promise<void> {
    for (const file of await look(changes, signal)) {
      this.changed(file);
    }
  }
}

/** An abort ends a long look at the files; then there is a short one, for the receipt. */
async function look(changes: TurnChanges, signal: AbortSignal): Promise<FileChange[]> {
  if (!signal.aborted) {
    try {
      return await changes.finish(AbortSignal.any([signal, AbortSignal.timeout(longestMs)]));
    } catch (error) {
      if (!signal.aborted) {
        throw error;
      }
    }
  }
  return changes.finish(AbortSignal.timeout(afterAbortMs));
}
