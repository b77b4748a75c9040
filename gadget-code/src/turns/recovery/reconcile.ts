import type { DroneId, Hello, HelloVerdict, TurnId } from "@gadget/api";
import type { StoredTurn } from "../../models/chat-turn.ts";
import { isDatabaseTrouble } from "../../models/is-database-trouble.ts";
import { LiveTurn } from "../live-turn.ts";
import { lastSeqOfLease, lastStoredSeq, storedSize, tellingEvents } from "../log/log-events.ts";
import { release } from "../release.ts";
import type { TurnContext } from "../state/turn-context.ts";
import { loseTurn } from "./lose-turn.ts";
import { recoverTurn } from "./recover-turn.ts";

/** How long a tail may take, and how long its turn's end may follow it. */
const tailMs = 5_000;
const completionMs = 200;

const lostLoop = "The drone was restarted while it worked on this turn.";

/**
 * What a drone's hello means for its turns: the same instance goes on where it was; what it no
 * longer runs, or what an earlier instance ran, is lost; what it runs without a lease it kills.
 */
export async function reconcile(
  context: TurnContext,
  droneId: DroneId,
  hello: Hello,
): Promise<HelloVerdict[]> {
  const { models } = context;
  const leased = await models.turns
    .find({ "lease.droneId": droneId, unsettled: true })
    .lean<StoredTurn[]>();
  const running = new Map(hello.running.map((turn) => [turn.turnId, turn]));
  const tails = new Map(hello.tails?.map((turn) => [turn.turnId, turn]));
  const verdicts: HelloVerdict[] = [];
  let trouble: Error | undefined;
  for (const turn of leased) {
    const here = running.get(turn._id);
    const goesOn = turn.lease?.instanceId === hello.instanceId && here?.epoch === turn.epoch;
    if (goesOn || stillBeingSent(context, turn)) {
      continue;
    }
    const tail = tails.get(turn._id);
    const failed = await recoverTurn(context, turn, async () => {
      if (tail?.epoch === turn.epoch) {
        verdicts.push(await takeTail(context, turn, droneId, hello, tail.lastSeq));
      } else if (await neverBegan(context, turn, hello)) {
        await release(context, turn);
      } else {
        await loseTurn(context, turn, lostLoop);
      }
    });
    if (isDatabaseTrouble(failed)) {
      trouble = failed;
    }
  }
  // Nobody would end these later: the drone says hello once more.
  if (trouble !== undefined) {
    throw trouble;
  }
  const byId = new Map(leased.map((turn) => [turn._id, turn]));
  // One after the other: the logs of all of them would be in memory at once.
  for (const { turnId, epoch } of hello.running) {
    const turn = byId.get(turnId);
    const own = turn?.lease?.instanceId === hello.instanceId && turn.epoch === epoch;
    const storedSeq =
      turn !== undefined && own ? await takeUp(context, turn, droneId, hello) : undefined;
    if (storedSeq === undefined) {
      verdicts.push({ turnId, verdict: "kill", storedSeq: 0 });
    } else {
      const verdict = context.live.abortOf(turnId) === undefined ? "continue" : "abort";
      verdicts.push({ turnId, verdict, storedSeq });
    }
  }
  return verdicts;
}

function stillBeingSent(context: TurnContext, turn: StoredTurn): boolean {
  return context.live.get(turn._id)?.order === "preparing";
}

/**
 * The order met a connection that was dying: nobody has heard of it, neither this server by an
 * answer or an event, nor the drone, which names the orders that it took and gave up.
 */
async function neverBegan(
  { live, models }: TurnContext,
  turn: StoredTurn,
  { begun, running }: Hello,
): Promise<boolean> {
  const held = live.get(turn._id);
  if (held?.epoch === turn.epoch && held.order === "taken") {
    return false;
  }
  const isThis = (other: { turnId: TurnId; epoch: number }): boolean =>
    other.turnId === turn._id && other.epoch === turn.epoch;
  // A drone that does not speak of them may have taken it.
  if (begun === undefined || [...begun, ...running].some(isThis)) {
    return false;
  }
  // Number 1 is the server's own; a drone's first word has the next.
  return (await lastStoredSeq(models, turn._id)) <= 1;
}

/**
 * A loop that is gone may have left events, and even its turn's end, on its disk: they are taken
 * while the lease is current; then the turn is lost.
 */
async function takeTail(
  context: TurnContext,
  turn: StoredTurn,
  droneId: DroneId,
  hello: Hello,
  lastSeq: number,
): Promise<HelloVerdict> {
  const storedSeq = await takeUp(context, turn, droneId, hello);
  if (storedSeq === undefined) {
    return { turnId: turn._id, verdict: "kill", storedSeq: 0 };
  }
  const loseIt = async (): Promise<void> => {
    const deadline = context.elapsed() + tailMs;
    const isWaiting = (): boolean => {
      const held = context.live.get(turn._id);
      return held !== undefined && held.storedSeq < lastSeq && context.elapsed() < deadline;
    };
    // Its turn's end may follow right behind its last events.
    await context.wait(completionMs);
    while (isWaiting()) {
      await context.wait(completionMs);
    }
    await loseTurn(context, turn, lostLoop);
  };
  loseIt().catch((error: unknown) => {
    context.log.error({ err: error, turnId: turn._id }, "a lost turn could not be ended yet");
  });
  return { turnId: turn._id, verdict: "continue", storedSeq };
}

/** Puts a turn that goes on back into this node's memory; undefined: it ended meanwhile. */
async function takeUp(
  context: TurnContext,
  turn: StoredTurn,
  droneId: DroneId,
  { instanceId }: Hello,
): Promise<number | undefined> {
  const { live, models } = context;
  // Before the lease is looked at: nothing may lie between that and taking it up.
  const size = await storedSize(models, turn._id);
  // Whoever stored these may have died before it noted what they say.
  const unnoted = await tellingEvents(models, turn._id);
  const storedSeq = await lastSeqOfLease(models, turn);
  if (storedSeq === undefined) {
    return undefined;
  }
  const held = live.get(turn._id);
  // What lies here may be from before the drone went to another node, which stored more.
  if (held?.epoch === turn.epoch && storedSeq <= held.receivedSeq) {
    return held.storedSeq;
  }
  const { abortRequestedAt: at, abortedBy: by } = turn;
  const stored = at === undefined ? undefined : { by, at, stored: Promise.resolve(turn) };
  const abort = stored ?? live.abortOf(turn._id);
  const start = { storedSeq, abort, order: "taken", size, unnoted } as const;
  live.add(new LiveTurn(context, turn, { droneId, instanceId }, start));
  return storedSeq;
}
