import { type DroneId, type Price, RefusalError } from "@gadget/api";
import type { StoredTurn } from "../models/chat-turn.ts";
import type { StoredDrone } from "../models/drone.ts";
import { isDatabaseTrouble } from "../models/is-database-trouble.ts";
import { endUnshared } from "./end-foreign.ts";
import { LiveTurn } from "./live-turn.ts";
import { logQueued } from "./log/log-queued.ts";
import { release } from "./release.ts";
import { settle } from "./settle.ts";
import { rememberTurn } from "./state/remember-turn.ts";
import { transition } from "./state/transition.ts";
import type { TurnContext } from "./state/turn-context.ts";
import { workOrderOf } from "./work-order.ts";

const mostAcceptMs = 15_000;

/** One dispatch a drone at a time: counting its free places and taking one is not atomic. */
const running = new WeakMap<TurnContext, Map<DroneId, Promise<void>>>();

/**
 * Hands out what waits for a drone, first come first served, on the node where the drone is.
 * Never throws.
 */
export function dispatchDrone(context: TurnContext, droneId: DroneId): void {
  if (!context.line.isHere(droneId)) {
    context.nodes.workWaits(droneId);
    return;
  }
  const queue = running.get(context) ?? new Map<DroneId, Promise<void>>();
  running.set(context, queue);
  const before = queue.get(droneId) ?? Promise.resolve();
  const next = before
    .then(() => handOut(context, droneId))
    .catch((error: unknown) => context.log.error({ err: error, droneId }, "dispatch failed"));
  queue.set(droneId, next);
}

async function handOut(context: TurnContext, droneId: DroneId): Promise<void> {
  const { models, live, line } = context;
  for (;;) {
    const drone = await models.drones.findById(droneId).lean<StoredDrone>();
    if (drone === null || drone.draining || !line.isHere(droneId)) {
      return;
    }
    if (drone.instanceId === undefined || live.ofDrone(droneId).length >= drone.capacity) {
      return;
    }
    const turn = await oldestThatMayStart(context, drone);
    if (turn === undefined) {
      return;
    }
    const claimed = await claim(context, turn, drone);
    // The order is on its way while the next one is looked for: a slow drone delays only itself.
    if (claimed !== undefined) {
      send(context, claimed.turn, claimed.held).catch((error: unknown) => {
        context.log.error({ err: error, turnId: turn._id }, "a turn could not be handed out");
      });
    }
  }
}

/** One writing turn a workspace: a second one waits, unless its user said to run it anyway. */
async function oldestThatMayStart(
  context: TurnContext,
  drone: StoredDrone,
): Promise<StoredTurn | undefined> {
  const { models } = context;
  const waiting = await models.turns
    .find({ droneId: drone._id, status: "queued", abortRequestedAt: { $exists: false } })
    .sort({ createdAt: 1, _id: 1 })
    .limit(100)
    .lean<StoredTurn[]>();
  for (const turn of waiting) {
    // It came in at the very moment in which the drone was not shared any more.
    if (turn.owner !== drone.owner && !drone.shared) {
      await endUnshared(context, drone);
      return undefined;
    }
    const rival = await models.turns.exists({
      projectId: turn.projectId,
      unsettled: true,
      status: { $in: ["processing", "aborting"] },
    });
    if (rival === null || turn.runAnyway === true) {
      return turn;
    }
    if (turn.waitingFor !== "workspace") {
      await waitForWorkspace(context, turn);
    }
  }
  return undefined;
}

async function waitForWorkspace(context: TurnContext, turn: StoredTurn): Promise<void> {
  const stored = await context.models.turns
    .findOneAndUpdate(
      { _id: turn._id, status: "queued" },
      { $set: { waitingFor: "workspace" } },
      { returnDocument: "after" },
    )
    .lean<StoredTurn>();
  if (stored !== null) {
    await rememberTurn(context, stored);
  }
}

/** A6: an abort that was asked for meanwhile makes the claim fail. */
async function claim(
  context: TurnContext,
  { _id }: StoredTurn,
  { _id: droneId, instanceId }: StoredDrone,
): Promise<{ turn: StoredTurn; held: LiveTurn } | undefined> {
  if (instanceId === undefined) {
    return undefined;
  }
  const { models, live } = context;
  const turn = await transition(models, _id, "claim", {
    where: { abortRequestedAt: { $exists: false } },
    set: () => ({ startedAt: context.now(), lease: { droneId, instanceId }, droneId }),
    unset: () => ["waitingFor"],
    raiseEpoch: true,
  });
  if (turn === undefined) {
    return undefined;
  }
  const start = { storedSeq: 0, abort: live.abortOf(_id), order: "preparing" as const };
  const held = new LiveTurn(context, turn, { droneId, instanceId }, start);
  live.add(held);
  return { turn, held };
}

async function send(context: TurnContext, turn: StoredTurn, held: LiveTurn): Promise<void> {
  const { live, line, log, graceMs } = context;
  try {
    await logQueued(context, turn);
    await rememberTurn(context, turn);
    const { order, price } = await workOrderOf(context, turn);
    await notePrice(context, turn, price);
    held.ordered(order.nextSeq, price);
    // A drone that went to another node gets its order there, with that claim's epoch.
    const isHere = line.isHere(held.droneId) && live.get(turn._id) === held;
    if (held.abort !== undefined || !isHere) {
      await release(context, turn);
      return;
    }
    held.order = "sent";
    const acceptMs = Math.min(mostAcceptMs, graceMs);
    const { accepted } = await line.order(held.droneId, "processWorkOrder", [order], acceptMs);
    if (accepted) {
      held.order = "taken";
    } else {
      await release(context, turn);
    }
  } catch (error) {
    if (held.order !== "preparing" && error instanceof RefusalError) {
      // Silence is no refusal: the drone may have the order, and its next hello or heartbeat tells.
      if (error.code === "unavailable") {
        if (held.order === "sent") {
          held.order = "silent";
        }
        return;
      }
      if (error.code === "drone_offline") {
        return release(context, turn);
      }
    }
    log.warn({ err: error, turnId: turn._id }, "a work order could not be given to its drone");
    if ((held.order === "preparing" || held.order === "doubted") && isDatabaseTrouble(error)) {
      // It never left, or was refused: the drone's next heartbeat puts it back into the queue.
      held.order = "doubted";
      return;
    }
    const errorMessage =
      error instanceof RefusalError ? error.message : "The turn could not start.";
    await settle(context, turn._id, { signal: "fail", epoch: turn.epoch, errorMessage });
  }
}

/** The turn keeps the price that it started with, whatever is entered later. */
async function notePrice(
  { models }: TurnContext,
  { _id, epoch, price: before }: StoredTurn,
  price: Price | undefined,
): Promise<void> {
  if (price === undefined && before === undefined) {
    return;
  }
  const change = price === undefined ? { $unset: { price: 1 } } : { $set: { price } };
  await models.turns.updateOne({ _id, epoch }, change);
}
