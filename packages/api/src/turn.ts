import * as z from "zod/mini";

/** A turn's life (rule A1). This table is the only description of it: see docs/abort-rules.md. */
export const turnStatuses = [
  "queued",
  "processing",
  "aborting",
  "finished",
  "aborted",
  "error",
  "interrupted",
] as const;
export const TurnStatus = z.enum(turnStatuses);
export type TurnStatus = z.infer<typeof TurnStatus>;

export const turnSignals = [
  /** A drone takes the turn, with a lease. */
  "claim",
  /** The drone never accepted the order: the claim is given back. */
  "release",
  /** Somebody asks for the abort. */
  "abort",
  /** The drone says that the turn came to its end by itself. */
  "finish",
  /** The drone says that the turn failed. */
  "fail",
  /** The drone says that the abort has settled: nothing of the turn runs any more. */
  "stop",
  /** Force stop: settle without the drone. */
  "force",
  /** The drone was lost: its grace is over, or its loop is gone. */
  "lose",
] as const;
export type TurnSignal = (typeof turnSignals)[number];

const table: Record<TurnStatus, Partial<Record<TurnSignal, TurnStatus>>> = {
  queued: { claim: "processing", abort: "aborted", force: "aborted" },
  processing: {
    release: "queued",
    abort: "aborting",
    finish: "finished",
    fail: "error",
    lose: "interrupted",
  },
  aborting: {
    release: "aborted",
    // It had ended before the signal reached it: what happened is what is stored.
    finish: "finished",
    fail: "error",
    stop: "aborted",
    force: "aborted",
    lose: "aborted",
  },
  finished: {},
  aborted: {},
  error: {},
  interrupted: {},
};

/** Where a signal leads, or undefined where it changes nothing. */
export function nextStatus(status: TurnStatus, signal: TurnSignal): TurnStatus | undefined {
  return table[status][signal];
}

/** The filter of a compare-and-set: the states in which this signal may be applied. */
export function statesAccepting(signal: TurnSignal): TurnStatus[] {
  return turnStatuses.filter((status) => table[status][signal] !== undefined);
}

export function isSettled(status: TurnStatus): boolean {
  return Object.keys(table[status]).length === 0;
}

/** The same table decides which buttons a turn has. */
export function turnActions(status: TurnStatus): {
  cancel: boolean;
  forceStop: boolean;
  finishUp: boolean;
  continue: boolean;
} {
  return {
    cancel: table[status].abort !== undefined,
    forceStop: status === "aborting" && table[status].force !== undefined,
    finishUp: status === "processing",
    continue: isSettled(status) && status !== "finished",
  };
}
