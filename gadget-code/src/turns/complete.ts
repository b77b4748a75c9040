import { type DroneId, isSettled, type TurnId } from "@gadget/api";
import type { StoredTurn } from "../models/chat-turn.ts";
import { dispatchDrone } from "./dispatch.ts";
import { startQueued } from "./queue/start-queued.ts";
import { settle } from "./settle.ts";
import { transition } from "./state/transition.ts";
import type { TurnContext } from "./state/turn-context.ts";

/**
 * The drone's word on how a turn ended. `true, "aborted"` is the one signal of an aborted end;
 * what comes late is acknowledged and ignored (A7).
 */
export async function complete(
  context: TurnContext,
  droneId: DroneId,
  turnId: TurnId,
  success: boolean,
  message: string | undefined,
): Promise<void> {
  const { models, live, log } = context;
  const held = live.get(turnId);
  if (held === undefined || held.droneId !== droneId) {
    log.info({ turnId, droneId, success, message }, "a late completion was ignored");
    return;
  }
  const { epoch } = held;
  await held.ending();
  const aborted = success && message === "aborted";
  if (aborted && (await held.abort?.stored) === undefined) {
    // The abort may be faster than the write of its intent: the table wants that one first.
    const { at = context.now(), by } = held.abort ?? {};
    await transition(models, turnId, "abort", {
      where: { epoch, status: "processing" },
      set: () => ({ abortRequestedAt: at, ...(by !== undefined && { abortedBy: by }) }),
    });
  }
  const signal = aborted ? "stop" : success ? "finish" : "fail";
  const errorMessage = success ? undefined : (message ?? "The turn failed.");
  const settled = await settle(context, turnId, { signal, epoch, errorMessage });
  if (settled === undefined) {
    const turn = await models.turns.findById(turnId).lean<StoredTurn>();
    const known = turn !== null && isSettled(turn.status);
    log.info({ turnId, signal, known }, "a completion changed nothing");
  } else {
    await startQueued(context, settled);
  }
  dispatchDrone(context, droneId);
}
