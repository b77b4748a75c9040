import {
  type AbortAnswer,
  abortMessages,
  isSettled,
  type Person,
  RefusalError,
  type TurnId,
} from "@gadget/api";
import type { QueryFilter } from "mongoose";
import type { StoredTurn } from "../models/chat-turn.ts";
import { move } from "./settle.ts";
import type { AbortIntent, Arrival } from "./state/live-turn.ts";
import { rememberTurn } from "./state/remember-turn.ts";
import { shownTurn } from "./state/shown-turn.ts";
import type { TurnContext } from "./state/turn-context.ts";

/** A cancel is answered within a second, whatever the drone or the database do (A14). */
const answerMs = 900;

export interface AbortResult extends AbortAnswer {
  /** Undefined: the database has not said anything of it yet. */
  turn: StoredTurn | undefined;
}

interface Asking {
  turnId: TurnId;
  by: Person;
  /** The turns that this person may end. */
  may: () => Promise<QueryFilter<StoredTurn>>;
}

/** What the drone answered; undefined: nothing, for it can't be reached. */
type Heard = Promise<AbortAnswer | undefined>;
const nobody: Heard = Promise.resolve(undefined);

/** The one deadline of a cancel, of whatever steps its way is made. */
const late = Symbol("late");
type Deadline = Promise<typeof late>;

/**
 * Asks for the abort of one named turn (A3). The drone is told and the intent is stored at the
 * same moment; neither waits for the other, and either alone brings the abort about (A5).
 *
 * What this node knows to be the asker's own is told to its drone before anything is read. The
 * whole way has one deadline; what is not known by then goes on, and its answer says so.
 */
export async function abort(
  context: TurnContext,
  turnId: TurnId,
  by: Person,
  may: Asking["may"],
): Promise<AbortResult> {
  const asking = { turnId, by, may };
  const deadline: Deadline = context.wait(answerMs).then(() => late);
  const known = context.live.known(turnId);
  if (known?.owner === by.id) {
    return act(context, asking, known, deadline);
  }
  const arrival = context.live.arrival(turnId);
  if (arrival?.owner === by.id) {
    return actOnArrival(context, asking, arrival, deadline);
  }
  return actOnStored(context, asking, deadline);
}

async function actOnStored(
  context: TurnContext,
  asking: Asking,
  deadline: Deadline,
): Promise<AbortResult> {
  const { turnId } = asking;
  const found = look(context, asking);
  const answer = found.then((turn) => act(context, asking, turn, deadline));
  answer.catch(() => {});
  if ((await Promise.race([found, deadline])) !== late) {
    return answer;
  }
  answer.catch((error: unknown) => {
    context.log.error({ err: error, turnId }, "a turn that should be aborted was not found");
  });
  throw new RefusalError(
    "unavailable",
    "The database does not answer. The turn is aborted as soon as it does; if it goes on, cancel it again.",
  );
}

async function look({ models }: TurnContext, { turnId, may }: Asking): Promise<StoredTurn> {
  const turn = await models.turns.findOne({ ...(await may()), _id: turnId }).lean<StoredTurn>();
  if (turn === null) {
    throw new RefusalError("not_found", "There is no such turn.");
  }
  return turn;
}

/**
 * The prompt itself is still on its way into the database: no order goes out for it, and its end
 * follows it there.
 */
async function actOnArrival(
  context: TurnContext,
  asking: Asking,
  { turn: coming, stored }: Arrival,
  deadline: Deadline,
): Promise<AbortResult> {
  const write = writeOf(context, asking, "queued", stored);
  const arrived = await Promise.race([stored.catch(() => undefined), deadline]);
  if (arrived === undefined) {
    return actOnStored(context, asking, deadline);
  }
  if (arrived !== late) {
    return whileQueued(context, asking, arrived, write, deadline);
  }
  // What is known of it by now.
  const turn = await Promise.race([coming, Promise.resolve(undefined)]).catch(() => undefined);
  const shown = turn && shownTurn(context.live, turn);
  return { turn: shown, success: true, message: abortMessages.storing };
}

/** The push first: it is synchronous up to the socket. */
function act(
  context: TurnContext,
  asking: Asking,
  turn: StoredTurn,
  deadline: Deadline,
): Promise<AbortResult> {
  const { live, line, nodes, publish } = context;
  const { turnId, by } = asking;
  if (isSettled(turn.status)) {
    return Promise.resolve({ turn, success: false, message: abortMessages.notRunning });
  }
  const isAsked = turn.status === "aborting" || askedBefore(context, turnId) !== undefined;
  if (!isAsked) {
    // The node that holds the turn learns who asked before its drone can answer.
    nodes.abortAsked(turnId, by, context.now());
  }
  if (turn.status === "queued") {
    // What waits for a drone of this node was not handed out; another node's may have it by now.
    const isHere = turn.droneId !== null && line.isHere(turn.droneId);
    const heard = isHere ? undefined : push(context, turn);
    return whileQueued(context, asking, turn, writeOf(context, asking, "queued"), deadline, heard);
  }
  const heard = push(context, turn);
  if (turn.status === "aborting") {
    return whileRunning(context, asking, turn, { isEarlier: true, heard }, deadline);
  }
  const write = writeOf(context, asking, "processing");
  if (!isAsked) {
    publish.turnChanged(shownTurn(live, turn));
  }
  return whileRunning(context, asking, turn, { ...write, heard }, deadline);
}

/**
 * One compare-and-set where no drone has it. A claim may come first: then it is aborted as a
 * running one, and no order goes out for it meanwhile (A6).
 */
async function whileQueued(
  context: TurnContext,
  asking: Asking,
  turn: StoredTurn,
  write: Write,
  deadline: Deadline,
  heard: Heard = nobody,
): Promise<AbortResult> {
  // A drone that does not have it says nothing of the turn.
  const begun = new Promise<"begun">((resolve) => {
    void heard.then((answer) => answer?.success === true && resolve("begun"));
  });
  const shown = shownTurn(context.live, turn);
  const first = await Promise.race([write.written, begun, deadline]);
  if (first === "begun") {
    const message = write.isEarlier ? abortMessages.already : abortMessages.signaled;
    return { turn: shown, success: true, message };
  }
  refuseLost(write);
  const now = first ?? (await Promise.race([read(context, turn._id), deadline]));
  if (now === late || now === null || now.status === "queued") {
    return { turn: shown, success: true, message: abortMessages.storing };
  }
  if (now.status === "aborted") {
    return { turn: now, success: true, message: abortMessages.cancelledEarly };
  }
  if (isSettled(now.status)) {
    return { turn: now, success: false, message: abortMessages.notRunning };
  }
  return whileRunning(context, asking, now, { ...write, heard: push(context, now) }, deadline);
}

/** The drone's word where it comes in time; the stored intent where none can come. */
async function whileRunning(
  context: TurnContext,
  { by }: Asking,
  turn: StoredTurn,
  write: Partial<Write> & Pick<Write, "isEarlier"> & { heard: Heard },
  deadline: Deadline,
): Promise<AbortResult> {
  const answer = await Promise.race([write.heard, deadline]);
  const { abortRequestedAt = context.now(), abortedBy = by } = turn;
  const aborting = { ...turn, status: "aborting" as const };
  if (write.isEarlier) {
    return { turn: aborting, success: true, message: abortMessages.already };
  }
  const shown = { ...aborting, abortRequestedAt, abortedBy };
  if (answer !== undefined && answer !== late) {
    return { turn: shown, success: true, message: abortMessages.signaled };
  }
  const stored = await Promise.race([write.written, deadline]);
  refuseLost(write);
  if (stored === undefined) {
    // It had settled: another node knew first.
    const now = await Promise.race([read(context, turn._id), deadline]);
    if (now !== late && now !== null && isSettled(now.status)) {
      return { turn: now, success: false, message: abortMessages.notRunning };
    }
  }
  return { turn: shown, success: true, message: abortMessages.unreachable };
}

/** Nobody has heard of the abort, and it is nowhere kept: whoever asked has to know. */
function refuseLost({ intent }: Partial<Write>): void {
  if (intent?.isLost === true) {
    throw new RefusalError(
      "unavailable",
      "The database could not store the abort. Cancel the turn again.",
    );
  }
}

function read({ models }: TurnContext, turnId: TurnId): Promise<StoredTurn | null> {
  return models.turns.findById(turnId).lean<StoredTurn>().exec();
}

function push(context: TurnContext, { _id: turnId, lease, droneId }: StoredTurn): Heard {
  const at = lease?.droneId ?? droneId;
  if (at === null) {
    return nobody;
  }
  return context.line.signalAbort(at, turnId, answerMs).catch(() => undefined);
}

interface Write {
  /** Somebody asked before. */
  isEarlier: boolean;
  intent: AbortIntent;
  /** The turn after the write; undefined: it had settled, or the write failed. */
  written: Promise<StoredTurn | undefined>;
}

function askedBefore(context: TurnContext, turnId: TurnId): AbortIntent | undefined {
  const intent = context.live.abortOf(turnId);
  return intent?.isLost === true ? undefined : intent;
}

/** The first one who asks is kept: in memory at once, so that whoever looks or claims sees it. */
function writeOf(
  context: TurnContext,
  { turnId, by }: Asking,
  from: "queued" | "processing",
  arrival?: Arrival["stored"],
): Write {
  const earlier = askedBefore(context, turnId);
  if (earlier !== undefined) {
    const written = earlier.stored.then(() => undefined);
    return { isEarlier: true, intent: earlier, written };
  }
  const { live, log } = context;
  const at = context.now();
  const ending = { signal: "abort", asked: { abortRequestedAt: at, abortedBy: by }, from } as const;
  const store = () => move(context, turnId, ending, { unset: ["waitingFor"] });
  const write = arrival === undefined ? store() : arrival.then(store);
  const failed = (error: unknown): void => {
    log.error({ err: error, turnId }, "an abort could not be stored yet");
  };
  const written = write.then(
    (turn) => {
      // For lists: nobody waits for it, and where the end has come already that one writes it.
      const ends = live.get(turnId)?.ending !== undefined;
      if (turn?.status === "aborting" && !ends) {
        rememberTurn(context, turn).catch(failed);
      }
      return turn;
    },
    (error: unknown) => {
      live.forgetAbort(turnId, intent);
      failed(error);
      return undefined;
    },
  );
  const intent: AbortIntent = { by, at, stored: written.then((turn) => turn !== undefined) };
  live.askAbort(turnId, intent);
  return { isEarlier: false, intent, written };
}
