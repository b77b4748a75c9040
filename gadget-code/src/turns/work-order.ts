import { RefusalError, type WorkOrder } from "@gadget/api";
import type { StoredSession } from "../models/chat-session.ts";
import type { StoredTurn } from "../models/chat-turn.ts";
import { type StoredProject, workspaceOf } from "../models/project.ts";
import { providerAccess, type StoredProvider } from "../models/provider.ts";
import type { StoredUser } from "../models/user.ts";
import { lastStoredSeq } from "./event-log.ts";
import { historyPage } from "./history.ts";
import type { TurnContext } from "./turn-context.ts";

/** A claimed turn as its drone receives it. */
export async function workOrderOf(context: TurnContext, turn: StoredTurn): Promise<WorkOrder> {
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
  const model = session.model ?? provider.defaultModel ?? (provider.kind === "demo" ? "demo" : "");
  if (model === "") {
    throw new RefusalError("not_found", "The session has no model. Choose one in its header.");
  }
  return {
    turnId: turn._id,
    sessionId: turn.sessionId,
    projectId: turn.projectId,
    epoch: turn.epoch,
    nextSeq: (await lastStoredSeq(models, turn._id)) + 1,
    graceMs: context.graceMs,
    prompt: turn.prompt,
    continues: turn.continues,
    by: { id: user._id, name: user.name },
    workspace: { ...workspaceOf(project), environment: project.environment },
    approval: session.approval,
    allowed: session.allowed,
    provider: providerAccess(provider, secret),
    model,
    history: await historyPage(models, turn.sessionId, turn, undefined),
  };
}
