import { useEffect, useState } from "react";
import { useSession } from "../../session/session-context.ts";
import { runningEntry } from "../../session/session-state.ts";
import { statusOf } from "../../session/turn-entry.ts";

const everyMs = 1_500;

const words: Record<string, string> = {
  queued: "Message sent.",
  processing: "The agent is working.",
  aborting: "Stopping.",
  finished: "The turn is finished.",
  aborted: "The turn was aborted.",
  error: "The turn failed.",
  interrupted: "The turn was interrupted.",
};

/** One polite region for what matters; streamed text itself is not read out. */
export function TurnAnnouncer() {
  const status = useSession((state) => {
    const last = state.order.at(-1);
    const entry = runningEntry(state) ?? (last && state.turns.get(last));
    return entry && statusOf(entry);
  });
  const [said, setSaid] = useState("");
  useEffect(() => {
    const timer = setTimeout(
      () => setSaid(status === undefined ? "" : (words[status] ?? "")),
      everyMs,
    );
    return () => clearTimeout(timer);
  }, [status]);
  return (
    <p className="sr-only" aria-live="polite">
      {said}
    </p>
  );
}
