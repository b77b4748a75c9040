import {
  type DroneId,
  fullLog,
  isTerminal,
  RefusalError,
  type TurnEvent,
  type TurnEvents,
} from "@gadget/api";
import { dispatchDrone } from "./dispatch.ts";
import { settle } from "./settle.ts";
import type { HeldTurn, Taken } from "./state/held-turn.ts";
import type { TurnContext } from "./state/turn-context.ts";

const killMs = 2_000;

/**
 * Takes a drone's events, up to what one turn may write: fenced by its lease, idempotent by seq,
 * published at once, and acknowledged when they are durable (A35).
 */
export async function ingest(
  context: TurnContext,
  droneId: DroneId,
  { turnId, epoch, events }: TurnEvents,
): Promise<Taken> {
  const turn = context.live.get(turnId);
  if (turn === undefined || turn.droneId !== droneId || turn.epoch !== epoch) {
    return { storedSeq: 0, lost: true };
  }
  const isOwn = (event: TurnEvent): boolean => event.turnId === turnId && event.epoch === epoch;
  if (events.some((event) => !isOwn(event) || isTerminal(event))) {
    throw new RefusalError("invalid", "A drone writes only its own turn, and never its end.");
  }
  turn.order = "taken";
  const wasFull = turn.isFull;
  const taken = await turn.take(events);
  if (turn.isFull && !wasFull) {
    await endFull(context, turn);
  }
  return taken;
}

/**
 * Ends a turn that has written all it may. A drone does so itself, and earlier: this is for one
 * that does not, so nothing more is taken of it, and it is told to kill what runs.
 */
async function endFull(context: TurnContext, turn: HeldTurn): Promise<void> {
  const { line, log } = context;
  const { turnId, droneId, epoch } = turn;
  log.warn({ turnId, droneId }, "a turn was ended because its log is full");
  line
    .order(droneId, "killWorkOrder", [{ turnId, epoch }], killMs)
    .catch((error: unknown) => log.info({ err: error, turnId }, "the drone will kill it later"));
  // One that was asked to stop is aborted.
  const isAborted = (await turn.abort?.stored) !== undefined;
  const signal = isAborted ? "lose" : "fail";
  await settle(context, turnId, { signal, epoch, errorMessage: fullLog });
  dispatchDrone(context, droneId);
}
