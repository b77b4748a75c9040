import { isSettled, type Person, RefusalError, type TurnId } from "@gadget/api";
import type { QueryFilter } from "mongoose";
import { answerMs } from "../answer-ms.ts";
import type { StoredTurn } from "../models/chat-turn.ts";
import { move } from "./settle.ts";
import type { AbortIntent } from "./state/abort-intent.ts";
import type { HeldTurn } from "./state/held-turn.ts";
import { shownTurn } from "./state/shown-turn.ts";
import type { TurnContext } from "./state/turn-context.ts";

const killMs = 2_000;
/** A log's last events have this long to come before its end. */
const keepMs = 500;

/**
 * Settles an aborted turn without its drone, which is told to kill its work at the same moment:
 * from here on nothing that it sends is taken, and the write of the end raises the epoch.
 */
export async function forceStop(
  context: TurnContext,
  turnId: TurnId,
  by: Person,
  may: () => Promise<QueryFilter<StoredTurn>>,
): Promise<StoredTurn> {
  const { live } = context;
  const deadline = context.wait(answerMs).then(() => undefined);
  const known = live.known(turnId);
  const isOwn = known?.owner === by.id;
  // What this node knows to be the asker's own is killed before anything is read.
  if (isOwn) {
    kill(context, known);
  }
  const found = look(context, turnId, may);
  const stopped = found.then((turn) => {
    if (!isOwn || known.epoch !== turn.epoch) {
      kill(context, turn);
    }
    return stop(context, turn, by);
  });
  const now = await Promise.race([stopped, deadline]);
  if (now !== undefined) {
    return now;
  }
  stopped.catch(() => {});
  const turn = await Promise.race([found, Promise.resolve(isOwn ? known : undefined)]);
  if (turn !== undefined) {
    return shownTurn(live, turn);
  }
  throw new RefusalError(
    "unavailable",
    "The database does not answer. The turn is stopped as soon as it does; if it goes on, force the stop again.",
  );
}

async function look(
  { models }: TurnContext,
  turnId: TurnId,
  may: () => Promise<QueryFilter<StoredTurn>>,
): Promise<StoredTurn> {
  const turn = await models.turns.findOne({ ...(await may()), _id: turnId }).lean<StoredTurn>();
  if (turn === null) {
    throw new RefusalError("not_found", "There is no such turn.");
  }
  const { status } = turn;
  if (isSettled(status)) {
    throw new RefusalError("not_running", `The turn is ${status}.`, { status });
  }
  return turn;
}

/** Told as often as it is asked for: a drone kills once. */
function kill({ line, log }: TurnContext, { _id: turnId, epoch, lease }: StoredTurn): void {
  if (lease === undefined) {
    return;
  }
  line
    .order(lease.droneId, "killWorkOrder", [{ turnId, epoch }], killMs)
    .catch((error: unknown) => log.info({ err: error, turnId }, "the drone will kill it later"));
}

async function stop(
  context: TurnContext,
  { _id: turnId }: StoredTurn,
  by: Person,
): Promise<StoredTurn | undefined> {
  const { live, log } = context;
  const at = context.now();
  const asked = { abortRequestedAt: at, abortedBy: by };
  const stored = end(context, turnId, asked).catch((error: unknown) => {
    live.forgetAbort(turnId, intent);
    log.error({ err: error, turnId }, "a forced end could not be stored yet");
    return undefined;
  });
  const intent: AbortIntent = { by, at, stored };
  live.askAbort(turnId, intent);
  const ended = await stored;
  if (intent.isLost !== true) {
    return ended;
  }
  throw new RefusalError(
    "unavailable",
    "The database could not store the end of the turn. Force the stop again.",
  );
}

async function end(
  context: TurnContext,
  turnId: TurnId,
  asked: Required<Pick<StoredTurn, "abortRequestedAt" | "abortedBy">>,
): Promise<StoredTurn | undefined> {
  const { models, live } = context;
  const held = live.get(turnId);
  held?.letGo();
  const afterLog = held && keepShown(context, held);
  const intent = { signal: "abort", asked, afterLog } as const;
  const moved = await move(context, turnId, intent, { unset: ["waitingFor"] });
  if (moved?.status === "aborted") {
    return moved;
  }
  const settled = await move(context, turnId, { signal: "force", fence: true, afterLog });
  return settled ?? (await models.turns.findById(turnId).lean<StoredTurn>()) ?? undefined;
}

/** What was shown should stay (A30). The turn's end waits for it not at all, its log's end briefly. */
async function keepShown(context: TurnContext, held: HeldTurn): Promise<void> {
  const flushed = held.flushed().catch((error: unknown) => {
    context.log.error({ err: error, turnId: held.turnId }, "a forced end came before its log");
  });
  await Promise.race([flushed, context.wait(keepMs)]);
}
