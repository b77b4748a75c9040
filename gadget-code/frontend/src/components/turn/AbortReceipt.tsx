import { count, stoppedWords } from "@gadget/api";
import type { TurnEntry } from "../../session/turn-entry.ts";
import { UndoChanges } from "./UndoChanges.tsx";

/** `Stopped in 41 ms · 4 processes ended, 0 left · 2 files changed · Undo changes` */
export function AbortReceipt({ entry: { turn, transcript } }: { entry: TurnEntry }) {
  const stopped = turn.stopped ?? transcript.stopped;
  const files = turn.filesChanged.length;
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 tabular-nums">
      {stopped && <span>{stoppedWords(stopped)}</span>}
      {files > 0 && (
        <>
          <span>
            {stopped && "· "}
            {count(files, "file")} changed
          </span>
          <span aria-hidden="true">·</span>
          <UndoChanges turn={turn} />
        </>
      )}
    </p>
  );
}
