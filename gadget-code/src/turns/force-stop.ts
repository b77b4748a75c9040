import { isSettled, type Person, RefusalError, type TurnId } from "@gadget/api";
import type { QueryFilter } from "mongoose";
import type { StoredTurn } from "../models/chat-turn.ts";
import { flush } from "./ingest.ts";
import { move, settle } from "./settle.ts";
import { shownTurn } from "./shown-turn.ts";
import type { TurnContext } from "./turn-context.ts";

const killMs = 2_000;
/** As every cancel, it is answered within a second (A14). */
const answerMs = 900;

/**
 * Settles an aborted turn without its drone, which is told to kill its work at the same moment:
 * from here on nothing that it sends is taken, and the write of the end raises the epoch.
 */
export async function forceStop(
  context: TurnContext,
  turnId: TurnId,
  by: Person,
  mine: QueryFilter<StoredTurn>,
): Promise<StoredTurn> {
  const { models, line, live, log } = context;
  const turn = await models.turns.findOne({ ...mine, _id: turnId }).lean<StoredTurn>();
  if (turn === null) throw new RefusalError("not_found", "There is no such turn.");
  if (isSettled(turn.status)) {
    throw new RefusalError("not_running", `The turn is ${turn.status}.`, { status: turn.status });
  }
  const droneId = turn.lease?.droneId;
  if (droneId !== undefined) {
    line
      .order(droneId, "killWorkOrder", [{ turnId, epoch: turn.epoch }], killMs)
      .catch((error: unknown) => log.info({ err: error, turnId }, "the drone will kill it later"));
  }
  const at = context.now();
  const ended = end(context, turn, { abortRequestedAt: at, abortedBy: by });
  const stored = ended.then(
    () => true,
    (error: unknown) => {
      live.forgetAbort(turnId);
      log.error({ err: error, turnId }, "a forced end could not be stored yet");
      return false;
    },
  );
  live.askAbort(turnId, { by, at, stored });
  const now = await Promise.race([ended, context.wait(answerMs)]);
  return now ?? shownTurn(live, turn);
}

async function end(
  context: TurnContext,
  { _id: turnId }: StoredTurn,
  asked: Required<Pick<StoredTurn, "abortRequestedAt" | "abortedBy">>,
): Promise<StoredTurn | undefined> {
  const { models, live } = context;
  const held = live.get(turnId);
  if (held !== undefined) {
    live.remove(held);
    await flush(context, held);
  }
  const moved = await move(context, turnId, { signal: "abort", asked }, { unset: ["waitingFor"] });
  if (moved?.status === "aborted") return moved;
  const settled = await settle(context, turnId, { signal: "force", fence: true });
  return settled ?? (await models.turns.findById(turnId).lean<StoredTurn>()) ?? undefined;
}
