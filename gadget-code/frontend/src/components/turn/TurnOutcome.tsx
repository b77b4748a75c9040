import { useUser } from "../../lib/auth.ts";
import { statusOf, type TurnEntry } from "../../session/turn-entry.ts";
import { Callout } from "../ui/Callout.tsx";
import { AbortReceipt } from "./AbortReceipt.tsx";
import { KeyLink } from "./KeyLink.tsx";
import { TurnActions } from "./TurnActions.tsx";

/** The words are made per viewer: events carry who it was, not what is said of it (rule A42). */
function abortedBy({ turn, transcript }: TurnEntry, viewer: string): string {
  const by = turn.abortedBy ?? transcript.abortedBy;
  if (by === undefined) {
    return "The turn was aborted.";
  }
  return `The turn was aborted by ${by.id === viewer ? "you" : by.name}.`;
}

/** The one reason that the server gives as a word for scripts. */
const shutdown = "stopped by shutdown";

function interruptedBy({ turn, transcript }: TurnEntry): string {
  const reason = turn.errorMessage ?? transcript.errorMessage;
  if (reason === shutdown) {
    return "The drone was shut down.";
  }
  return reason ?? "Its drone was lost. Nothing is run again by itself.";
}

/** How a turn ended, where that needs saying. The red box is for errors only. */
export function TurnOutcome({ entry }: { entry: TurnEntry }) {
  const user = useUser();
  const { turn, transcript } = entry;
  switch (statusOf(entry)) {
    case "aborted":
      return (
        <Callout tone="yellow" title={abortedBy(entry, user.id)}>
          {turn.errorMessage !== undefined && <p>{turn.errorMessage}</p>}
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
          <KeyLink reason={turn.errorMessage ?? transcript.errorMessage} />
          <TurnActions turn={turn} />
        </Callout>
      );
    case "interrupted":
      return (
        <Callout tone="orange" title="The turn was interrupted.">
          <p>{interruptedBy(entry)}</p>
          <TurnActions turn={turn} />
        </Callout>
      );
    default:
      return turn.abortRequestedAt === undefined ? null : (
        <p className="text-[13px] text-faint">It had already ended.</p>
      );
  }
}
