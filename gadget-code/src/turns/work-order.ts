import { type Price, priceOf, RefusalError, type WorkOrder } from "@gadget/api";
import type { StoredSession } from "../models/chat-session.ts";
import type { StoredTurn } from "../models/chat-turn.ts";
import type { StoredDrone } from "../models/drone.ts";
import { type StoredProject, workspaceOf } from "../models/project.ts";
import { modelFor, providerAccess, type StoredProvider } from "../models/provider.ts";
import { personOf, type StoredUser } from "../models/user.ts";
import { historyPage } from "./log/history.ts";
import { lastSeqOfLease } from "./log/log-events.ts";
import type { TurnContext } from "./state/turn-context.ts";

/** A claimed turn as its drone receives it, and what its model costs, where that is known. */
export async function workOrderOf(
  context: TurnContext,
  turn: StoredTurn,
): Promise<{ order: WorkOrder; price: Price | undefined }> {
  const { models, secret } = context;
  const [session, project, user] = await Promise.all([
    models.sessions.findById(turn.sessionId).lean<StoredSession>(),
    models.projects.findById(turn.projectId).lean<StoredProject>(),
    models.users.findById(turn.owner).lean<StoredUser>(),
  ]);
  if (session === null || project === null || user === null) {
    throw new RefusalError("not_found", "The session or project of this turn was deleted.");
  }
  const provider = await models.providers
    .findOne({ _id: session.providerId, $or: [{ owner: turn.owner }, { shared: true }] })
    .lean<StoredProvider>();
  if (provider === null) {
    throw new RefusalError("not_found", "The session has no provider. Choose one in its header.");
  }
  await refuseForeignDrone(context, turn, provider);
  if (turn.kind === "compact") {
    await refuseOldDrone(context, turn);
  }
  const model = modelFor(provider, session.model ?? undefined);
  if (model === undefined) {
    throw new RefusalError("not_found", "The session has no model. Choose one in its header.");
  }
  const storedSeq = await lastSeqOfLease(models, turn);
  if (storedSeq === undefined) {
    throw new RefusalError("not_running", "The turn has ended already.");
  }
  const order: WorkOrder = {
    turnId: turn._id,
    sessionId: turn.sessionId,
    projectId: turn.projectId,
    epoch: turn.epoch,
    nextSeq: storedSeq + 1,
    graceMs: context.graceMs,
    prompt: turn.prompt,
    continues: turn.continues,
    ...(turn.kind === "compact" && { compact: true }),
    by: personOf(user),
    workspace: { ...workspaceOf(project), environment: project.environment },
    approval: session.approval,
    allowed: session.allowed,
    provider: providerAccess(provider, secret, model),
    model,
    history: await historyPage(models, turn.sessionId, turn, undefined),
  };
  return { order, price: priceOf(provider.prices, model) };
}

/** It would take an order without a prompt for one to go on. */
async function refuseOldDrone({ models }: TurnContext, { lease }: StoredTurn): Promise<void> {
  const drone = await models.drones.findById(lease?.droneId).lean<StoredDrone>();
  if (drone?.abilities?.compacts === true) {
    return;
  }
  throw new RefusalError("unavailable", "This drone can't compact sessions yet. Update the drone.");
}

/** A shared provider's key goes only to the drones of its owner. */
async function refuseForeignDrone(
  { models }: TurnContext,
  { lease }: StoredTurn,
  { owner, sealedKey }: StoredProvider,
): Promise<void> {
  if (sealedKey === undefined || lease === undefined) {
    return;
  }
  const own = await models.drones.exists({ _id: lease.droneId, owner });
  if (own !== null) {
    return;
  }
  throw new RefusalError(
    "forbidden",
    "This provider's key goes only to its owner's drones. Choose another provider or drone.",
  );
}
