import { count, duration, type Usage } from "@gadget/api";
import { costWords } from "../../session/cost-words.ts";
import { turnCost } from "../../session/session-cost.ts";
import { statusOf, type TurnEntry } from "../../session/turn-entry.ts";
import { CopyButton } from "../ui/CopyButton.tsx";
import { UndoChanges } from "./UndoChanges.tsx";

const exact = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** How full the context was at the end, and what all steps together are charged for. */
function tokens(usage: Usage): { words: string; whole: string } | undefined {
  const { inputTokens, outputTokens, contextTokens, estimated } = usage;
  const billed = inputTokens + outputTokens;
  if (billed === 0) {
    return undefined;
  }
  const mark = estimated ? "≈ " : "";
  const context = contextTokens === undefined ? "" : `context ${compact.format(contextTokens)} · `;
  const whole = `${mark}${exact.format(inputTokens)} tokens read and ${exact.format(outputTokens)} written, over all steps`;
  return { words: `${mark}${context}${compact.format(billed)} billed`, whole };
}

function costOfTurn(entry: TurnEntry): string | undefined {
  const cost = turnCost(entry);
  return cost && costWords(cost);
}

/** What the turn's own agent said. */
function answerOf({ transcript }: TurnEntry): string {
  return transcript.parts
    .flatMap((part) => (part.kind === "text" && part.agentId === undefined ? [part.text] : []))
    .join("\n\n");
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
  const answer = answerOf(entry);
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
      {used && <span title={used.whole}>{used.words}</span>}
      {cost && <span title="What this turn cost">{cost}</span>}
      {answer !== "" && <CopyButton text={answer} label="Copy the answer" />}
      {/* An aborted turn offers it in its receipt. */}
      {filesChanged.length > 0 && !isAborted && <UndoChanges turn={turn} />}
    </footer>
  );
}
