import {
  type ChatSession,
  type ChatTurn,
  emptyTranscript,
  type QueuedMessage,
  type Transcript,
  type TurnId,
} from "@gadget/api";
import { isRunning, newerTurn, type TurnEntry } from "./turn-entry.ts";

export interface SessionState {
  /** failed: it could not be opened, `problem` says why */
  phase: "opening" | "open" | "failed";
  problem?: string;
  session?: ChatSession;
  /** Oldest first. */
  order: readonly TurnId[];
  turns: ReadonlyMap<TurnId, TurnEntry>;
  queue: readonly QueuedMessage[];
  /** What stands in the composer. */
  draft: string;
  /** An earlier prompt is in the composer; `kept` is what stood there before. */
  editing?: { turnId: TurnId; kept: string; isSending?: boolean } | undefined;
  /** Where older turns continue; null: this is the beginning. */
  older: string | null;
  /** Turns whose abort is on its way; the server's `aborting` takes over from there. */
  cancelling: ReadonlySet<TurnId>;
  /** A subagent whose card is to be seen, with those above it, the outermost first. */
  shownAgent?: readonly string[] | undefined;
  /** Esc was pressed once; a second press aborts. */
  isEscapeArmed: boolean;
}

export const emptySession: SessionState = {
  phase: "opening",
  order: [],
  turns: new Map(),
  queue: [],
  draft: "",
  older: null,
  cancelling: new Set(),
  isEscapeArmed: false,
};

function withEntry(state: SessionState, entry: TurnEntry): SessionState {
  const { id } = entry.turn;
  const turns = new Map(state.turns).set(id, entry);
  return { ...state, turns, order: state.turns.has(id) ? state.order : place(state, entry) };
}

function place(state: SessionState, entry: TurnEntry): TurnId[] {
  const after = state.order.findLastIndex((id) => {
    const held = state.turns.get(id);
    return held !== undefined && held.turn.createdAt <= entry.turn.createdAt;
  });
  return state.order.toSpliced(after + 1, 0, entry.turn.id);
}

/** Takes the server's word on a turn; what was said in it stays. */
export function putTurn(state: SessionState, turn: ChatTurn): SessionState {
  const held = state.turns.get(turn.id);
  if (held === undefined) {
    return withEntry(state, { turn, transcript: emptyTranscript(turn.id) });
  }
  const { transcript } = held;
  return withEntry(state, { turn: newerTurn(held.turn, turn), transcript });
}

/** A turn that was sent and not yet acknowledged: it stands last, whatever the clocks say. */
export function putUnsent(state: SessionState, turn: ChatTurn): SessionState {
  const entry = { turn, transcript: emptyTranscript(turn.id), unsent: true };
  const turns = new Map(state.turns).set(turn.id, entry);
  return { ...state, turns, order: [...state.order.filter((id) => id !== turn.id), turn.id] };
}

export function dropTurn(state: SessionState, turnId: TurnId): SessionState {
  const turns = new Map(state.turns);
  turns.delete(turnId);
  return { ...state, turns, order: state.order.filter((id) => id !== turnId) };
}

/** Replaces what is held of a turn, unless it is ahead already. */
export function putWhole(
  state: SessionState,
  turn: ChatTurn,
  transcript: Transcript,
  { evenIfOlder = false } = {},
): SessionState {
  const held = state.turns.get(turn.id);
  if (held === undefined) {
    return withEntry(state, { turn, transcript });
  }
  const ahead = held.transcript.lastSeq > transcript.lastSeq && !evenIfOlder;
  return withEntry(state, {
    turn: newerTurn(held.turn, turn),
    transcript: ahead ? held.transcript : transcript,
  });
}

export function putTranscript(state: SessionState, transcript: Transcript): SessionState {
  const held = state.turns.get(transcript.turnId);
  if (held === undefined || held.transcript === transcript) {
    return state;
  }
  return withEntry(state, { turn: held.turn, transcript });
}

export function setCancelling(state: SessionState, turnId: TurnId, on: boolean): SessionState {
  const cancelling = new Set(state.cancelling);
  if (on) {
    cancelling.add(turnId);
  } else {
    cancelling.delete(turnId);
  }
  return { ...state, cancelling };
}

/** The one turn that may be unsettled: the latest. */
export function runningEntry(state: SessionState): TurnEntry | undefined {
  const last = state.order.findLast((id) => {
    const entry = state.turns.get(id);
    return entry !== undefined && isRunning(entry);
  });
  return last === undefined ? undefined : state.turns.get(last);
}
