import { type DroneId, fullLog, type TurnEvents } from "@gadget/api";
import { dispatchDrone } from "./dispatch.ts";
import { type Ingested, ingest } from "./ingest.ts";
import { settle } from "./settle.ts";
import type { LiveTurn } from "./state/live-turn.ts";
import type { TurnContext } from "./state/turn-context.ts";

const killMs = 2_000;

/** A drone's events, up to what one turn may write. */
export async function takeEvents(
  context: TurnContext,
  droneId: DroneId,
  events: TurnEvents,
): Promise<Ingested> {
  const turn = context.live.get(events.turnId);
  const wasFull = turn?.full === true;
  const answer = await ingest(context, droneId, events);
  if (turn?.full === true && !wasFull) {
    await endFull(context, turn);
  }
  return answer;
}

/**
 * Ends a turn that has written all it may. A drone does so itself, and earlier: this is for one
 * that does not, so nothing more is taken of it, and it is told to kill what runs.
 */
async function endFull(context: TurnContext, turn: LiveTurn): Promise<void> {
  const { line, live, log } = context;
  const { turnId, droneId, epoch } = turn;
  log.warn({ turnId, droneId }, "a turn was ended because its log is full");
  line
    .order(droneId, "killWorkOrder", [{ turnId, epoch }], killMs)
    .catch((error: unknown) => log.info({ err: error, turnId }, "the drone will kill it later"));
  // One that was asked to stop is aborted.
  const isAborted = (await turn.abort?.stored) !== undefined;
  const signal = isAborted ? "lose" : "fail";
  await settle(context, turnId, { signal, where: { epoch }, errorMessage: fullLog });
  live.remove(turn);
  dispatchDrone(context, droneId);
}
