import {
  newId,
  type ProjectId,
  type ProviderId,
  RefusalError,
  SessionId,
  TurnId,
  type TurnWithTranscript,
  type UserId,
} from "@gadget/api";
import { type StoredSession, sessionToWire } from "../../models/chat-session.ts";
import { type StoredTurn, turnToWire } from "../../models/chat-turn.ts";
import type { StoredProject } from "../../models/project.ts";
import { mayHaveModel, modelFor, type StoredProvider } from "../../models/provider.ts";
import { ownedBy } from "../../people/owned.ts";
import { defaultProvider } from "../../sessions/default-provider.ts";
import { forget } from "../../sessions/forget.ts";
import { fork } from "../../sessions/fork.ts";
import { firstLookAt } from "../../turns/log/history.ts";
import type { HttpContext } from "../http-context.ts";
import { largeRead } from "../large-read.ts";
import { listPage, placeCursor } from "../list-page.ts";
import type { Handlers } from "../router.ts";
import { withoutUndefined } from "../without-undefined.ts";

const droneMs = 15_000;
/** Of one person. */
const mostSessions = 5_000;

export function sessionHandlers(context: HttpContext) {
  const { models, publish } = context;

  const chosenProvider = async (id: ProviderId, user: UserId): Promise<StoredProvider> =>
    ownedBy(models, user)
      .usableProvider(id)
      .catch(() => {
        throw new RefusalError("invalid", "There is no such provider. Choose another one.");
      });
  /** It may be gone, or not be shared any more. */
  const lastProvider = async ({
    providerId,
    owner,
  }: StoredProject): Promise<StoredProvider | undefined> =>
    providerId === undefined
      ? undefined
      : ownedBy(models, owner)
          .usableProvider(providerId)
          .catch(() => undefined);
  /** The project's next session starts with the last choice. */
  const rememberChoice = async (
    projectId: ProjectId,
    owner: UserId,
    choice: { providerId?: ProviderId | undefined; model?: string | undefined },
  ): Promise<void> => {
    const set = withoutUndefined({ providerId: choice.providerId, model: choice.model });
    if (Object.keys(set).length === 0) {
      return;
    }
    await models.projects.updateOne({ _id: projectId, owner }, { $set: set });
  };

  return {
    listSessions: ({ user, query }) =>
      listPage(models.sessions, { owner: user._id, ...shown(query) }, query, sessionToWire, {
        by: "updatedAt",
      }),
    listProjectSessions: async ({ user, params: { id }, query }) => {
      const { _id: projectId } = await ownedBy(models, user._id).project(id);
      const filter = { owner: user._id, projectId, ...shown(query) };
      return listPage(models.sessions, filter, query, sessionToWire, { by: "updatedAt" });
    },
    createSession: async ({ user, params: { id }, body }) => {
      const project = await ownedBy(models, user._id).project(id);
      await refuseTooMany(context, user._id);
      const provider =
        body.providerId !== undefined
          ? await chosenProvider(body.providerId, user._id)
          : ((await lastProvider(project)) ?? (await defaultProvider(models, user._id)));
      const chosen = body.model ?? lastModel(project, provider);
      const now = context.now();
      const session: StoredSession = {
        _id: newId(SessionId),
        owner: user._id,
        projectId: project._id,
        droneId: project.droneId,
        title: body.title ?? "New session",
        titled: body.title !== undefined,
        providerId: provider?._id ?? null,
        model: (provider === undefined ? chosen : modelFor(provider, chosen)) ?? null,
        approval: body.approval ?? "edits",
        allowed: [],
        createdAt: now,
        updatedAt: now,
      };
      await models.sessions.create([session]);
      await rememberChoice(project._id, user._id, body);
      return { session: sessionToWire(session) };
    },
    getSession: async ({ user, params: { id } }) => ({
      session: sessionToWire(await ownedBy(models, user._id).session(id)),
    }),
    updateSession: async ({ user, params: { id }, body }) => {
      await ownedBy(models, user._id).session(id);
      const chosen =
        body.providerId === undefined ? undefined : await chosenProvider(body.providerId, user._id);
      const set = {
        // Another provider knows nothing of the model that was chosen before.
        ...(chosen && { model: chosen.defaultModel ?? null }),
        ...withoutUndefined(body),
        ...(body.title !== undefined && { titled: true }),
      };
      const session = await models.sessions
        .findOneAndUpdate({ _id: id, owner: user._id }, { $set: set }, { returnDocument: "after" })
        .lean<StoredSession>();
      if (session === null) {
        throw new RefusalError("not_found", "There is no such session.");
      }
      const model = session.model ?? undefined;
      await rememberChoice(session.projectId, user._id, chosen ? { ...body, model } : body);
      if (body.approval !== undefined) {
        await tellRunning(context, session);
      }
      publish.sessionChanged(session);
      return { session: sessionToWire(session) };
    },
    deleteSession: async ({ user, params: { id } }) => {
      await forget(context, await ownedBy(models, user._id).session(id));
      return { ok: true };
    },
    forkSession: async ({ user, params: { id }, body: { before }, res }) => {
      const session = await ownedBy(models, user._id).session(id);
      await refuseTooMany(context, user._id);
      await context.limits.copy(user._id);
      await largeRead(context.limits, user._id, res);
      return { session: sessionToWire(await fork(context, session, before)) };
    },
    getTranscript: async ({ user, params: { id }, query: { before, limit = 20 }, res }) => {
      const session = await ownedBy(models, user._id).session(id);
      await largeRead(context.limits, user._id, res);
      const filter = { owner: user._id, sessionId: session._id };
      const page = { limit, cursor: await cursorBefore(context, session, before) };
      const keep = (turn: StoredTurn): StoredTurn => turn;
      const { items, nextCursor } = await listPage(models.turns, filter, page, keep);
      const shown: TurnWithTranscript[] = [];
      for (const turn of items) {
        shown.push({ turn: turnToWire(turn), transcript: await firstLookAt(models, turn) });
      }
      return { items: shown, nextCursor };
    },
  } satisfies Handlers;
}

/** Another provider has other models, and the same one may have lost some. */
function lastModel(
  { providerId, model }: StoredProject,
  provider: StoredProvider | undefined,
): string | undefined {
  const isSame = provider !== undefined && provider._id === providerId;
  return isSame && model !== undefined && mayHaveModel(provider, model) ? model : undefined;
}

async function refuseTooMany({ models }: HttpContext, owner: UserId): Promise<void> {
  const count = await models.sessions.countDocuments({ owner });
  if (count < mostSessions) {
    return;
  }
  throw new RefusalError(
    "conflict",
    `You have ${count} sessions, as many as one person may have. Delete some of them first.`,
  );
}

/** A turn that runs goes by the new approval from its next tool call on. */
async function tellRunning(
  { models, line, log }: HttpContext,
  { _id: sessionId, approval }: StoredSession,
): Promise<void> {
  const turn = await models.turns.findOne({ sessionId, unsettled: true }).lean<StoredTurn>();
  if (turn?.lease === undefined) {
    return;
  }
  const order = { turnId: turn._id, approval };
  await ownedBy(models, turn.owner)
    .reachable(turn.lease.droneId)
    .then((droneId) => line.order(droneId, "setApproval", [order], droneMs))
    .catch((error: unknown) =>
      log.info({ err: error, turnId: turn._id }, "the running turn keeps its approval"),
    );
}

/** `before` is a page's cursor, or the oldest turn that the caller holds. */
async function cursorBefore(
  { models }: HttpContext,
  { _id: sessionId, owner }: StoredSession,
  before: string | undefined,
): Promise<string | undefined> {
  const turnId = TurnId.safeParse(before);
  if (!turnId.success) {
    return before;
  }
  const turn = await models.turns
    .findOne({ _id: turnId.data, sessionId, owner }, { createdAt: 1 })
    .lean<StoredTurn>();
  return turn === null ? before : placeCursor(turn);
}

function shown({ archived }: { archived?: "true" | "false" | undefined }) {
  return { archived: archived === "true" ? true : { $ne: true } };
}
