import { useUser } from "../lib/auth.ts";
import { statusOf, type TurnEntry } from "../session/turn-entry.ts";
import { AbortReceipt } from "./AbortReceipt.tsx";
import { Callout } from "./Callout.tsx";
import { TurnActions } from "./TurnActions.tsx";

/** The words are made per viewer: events carry who it was, not what is said of it (rule A42). */
function abortedBy({ turn, transcript }: TurnEntry, viewer: string): string {
  const by = turn.abortedBy ?? transcript.abortedBy;
  if (by === undefined) return "The turn was aborted.";
  return `The turn was aborted by ${by.id === viewer ? "you" : by.name}.`;
}

/** How a turn ended, where that needs saying. The red box is for errors only. */
export function TurnOutcome({ entry }: { entry: TurnEntry }) {
  const user = useUser();
  const { turn, transcript } = entry;
  switch (statusOf(entry)) {
    case "aborted":
      return (
        <Callout tone="yellow" title={abortedBy(entry, user.id)}>
          <AbortReceipt entry={entry} />
          <TurnActions turn={turn} />
        </Callout>
      );
    case "error":
      return (
        <Callout tone="red" title="The turn failed.">
          <p className="whitespace-pre-wrap">
            {turn.errorMessage ?? transcript.errorMessage ?? "The drone gave no reason."}
          </p>
          <TurnActions turn={turn} />
        </Callout>
      );
    case "interrupted":
      return (
        <Callout tone="orange" title="The turn was interrupted.">
          <p>
            {turn.errorMessage ??
              transcript.errorMessage ??
              "Its drone was lost. Nothing is run again by itself."}
          </p>
          <TurnActions turn={turn} />
        </Callout>
      );
    default:
      return turn.abortRequestedAt === undefined ? null : (
        <p className="text-[13px] text-faint">It had ended before the abort reached it.</p>
      );
  }
}
