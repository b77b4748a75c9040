import type { Usage } from "@gadget/api";
import { count, duration } from "../lib/duration.ts";
import { costWords } from "../lib/money.ts";
import { turnCost } from "../session/session-cost.ts";
import { statusOf, type TurnEntry } from "../session/turn-entry.ts";
import { UndoChanges } from "./UndoChanges.tsx";

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

function tokens({ inputTokens, outputTokens, estimated }: Usage): string | undefined {
  if (inputTokens + outputTokens === 0) return undefined;
  const mark = estimated ? "≈ " : "";
  return `${mark}${compact.format(inputTokens)} in, ${compact.format(outputTokens)} out`;
}

function costOfTurn(entry: TurnEntry): string | undefined {
  const cost = turnCost(entry);
  return cost && costWords(cost);
}

/** files ± · time · tokens · cost · undo */
export function TurnFooter({ entry }: { entry: TurnEntry }) {
  const { turn, transcript } = entry;
  const { filesChanged, startedAt, settledAt } = turn;
  const took =
    startedAt && settledAt ? duration(Date.parse(settledAt) - Date.parse(startedAt)) : undefined;
  const used = tokens(transcript.usage ?? turn.usage);
  const cost = costOfTurn(entry);
  const added = filesChanged.reduce((sum, file) => sum + file.added, 0);
  const removed = filesChanged.reduce((sum, file) => sum + file.removed, 0);
  const isAborted = statusOf(entry) === "aborted";
  return (
    <footer className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-faint tabular-nums">
      {filesChanged.length > 0 && (
        <span>
          {count(filesChanged.length, "file")} <span className="text-green">+{added}</span>{" "}
          <span className="text-danger">−{removed}</span>
        </span>
      )}
      {took && <span>{took}</span>}
      {used && <span>{used}</span>}
      {cost && <span title="What this turn cost">{cost}</span>}
      {/* An aborted turn offers it in its receipt. */}
      {filesChanged.length > 0 && !isAborted && <UndoChanges turn={turn} />}
    </footer>
  );
}
