import { type AiToolOutcome, toolOutcomeTexts } from "@gadget/ai";
import type { ToolOutcome } from "./agent-event.ts";

/** Why a call was not run. */
export type NotStarted =
  | "aborted"
  | "cancelled"
  | "steered"
  | "finishing"
  | "incomplete"
  | { denied: string };

/** The sentence for the model: that nothing happened, and why. */
export function neverStartedText(reason: NotStarted): string {
  return `${toolOutcomeTexts.never_started} ${because(reason)}`;
}

function because(reason: NotStarted): string {
  if (typeof reason === "object") {
    return `It was not allowed${reason.denied ? `: ${reason.denied}` : "."}`;
  }
  switch (reason) {
    case "aborted":
      return "The user aborted the turn before it.";
    case "cancelled":
      return "The user cancelled this call; the turn goes on.";
    case "steered":
      return "It was skipped because the user sent a message, which follows.";
    case "finishing":
      return "It was skipped because the user asked to finish up. Answer without tools.";
    case "incomplete":
      return "The answer ended before the call was complete.";
  }
}

/** Why a call that ran was stopped. */
export type StoppedBy = "abort" | "cancel" | "timeout";

/** The sentence for the model about a call that was stopped while it ran, and what it had said. */
export function stoppedText(by: StoppedBy, partial: string, timeoutMs: number | null): string {
  const why = {
    abort: "It was stopped because the user aborted the turn.",
    cancel: "The user stopped this call; the turn goes on.",
    timeout: `It was stopped at its time limit of ${(timeoutMs ?? 0) / 1000} s.`,
  }[by];
  const said = partial === "" ? "" : `\n\nUntil then:\n${partial}`;
  return `${toolOutcomeTexts.unknown} ${why}${said}`;
}

/** The three honest outcomes that a history knows. */
export function historyOutcome(outcome: ToolOutcome): AiToolOutcome {
  if (outcome === "never_started") {
    return "never_started";
  }
  return outcome === "finished" || outcome === "failed" ? "finished" : "unknown";
}
