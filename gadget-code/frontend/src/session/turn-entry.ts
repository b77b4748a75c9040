import {
  type ChatTurn,
  isSettled,
  type PartOf,
  type Transcript,
  type TurnStatus,
  type WaitingFor,
} from "@gadget/api";

/** A turn as the page holds it: the server's word on its state, and what was said in it. */
export interface TurnEntry {
  turn: ChatTurn;
  transcript: Transcript;
  /** Sent, but not yet acknowledged: the server may not know it. */
  unsent?: boolean;
}

/** The terminal event may come before or after the turn itself: whichever is first counts. */
export function statusOf({ turn, transcript }: TurnEntry): TurnStatus {
  return isSettled(transcript.status) ? transcript.status : turn.status;
}

export function isRunning(entry: TurnEntry): boolean {
  return !isSettled(statusOf(entry));
}

export function waitingForOf(entry: TurnEntry): WaitingFor | undefined {
  const { turn, transcript } = entry;
  if (!isRunning(entry)) {
    return undefined;
  }
  if (turn.status === "queued") {
    return turn.waitingFor;
  }
  return transcript.waitingFor ?? turn.waitingFor;
}

/**
 * Nodes publish a turn independently, so an older state can arrive after a newer one. What
 * has settled stays so, and an abort that was asked for is never un-asked.
 */
export function newerTurn(held: ChatTurn, next: ChatTurn): ChatTurn {
  if (isSettled(held.status) && !isSettled(next.status)) {
    return held;
  }
  const stale = held.abortRequestedAt !== undefined && next.abortRequestedAt === undefined;
  return stale && !isSettled(next.status) ? held : next;
}

export function openQuestion(entry: TurnEntry): PartOf<"question"> | undefined {
  if (!isRunning(entry)) {
    return undefined;
  }
  for (const part of entry.transcript.parts) {
    if (part.kind === "question" && part.open) {
      return part;
    }
  }
  return undefined;
}

/** The approval that stands for a call which does not run: still open, or denied. */
export function approvalOf(
  entry: TurnEntry | undefined,
  { id, state, outcome }: PartOf<"tool">,
): PartOf<"approval"> | undefined {
  const mayHave = state === "ended" ? outcome === "never_started" : state === "writing";
  if (!mayHave) {
    return undefined;
  }
  return entry?.transcript.parts.findLast(
    (part): part is PartOf<"approval"> => part.kind === "approval" && part.callId === id,
  );
}

export function openApproval(entry: TurnEntry): PartOf<"approval"> | undefined {
  if (!isRunning(entry)) {
    return undefined;
  }
  for (const part of entry.transcript.parts) {
    if (part.kind === "approval" && part.open) {
      return part;
    }
  }
  return undefined;
}
