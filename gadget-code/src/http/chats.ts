import {
  newId,
  ProjectId,
  RefusalError,
  SessionId,
  TurnId,
  type TurnWithTranscript,
  type UserId,
  type WorkspaceSource,
} from "@gadget/api";
import { type StoredSession, sessionToWire } from "../models/chat-session.ts";
import { type StoredTurn, turnToWire } from "../models/chat-turn.ts";
import type { StoredDrone } from "../models/drone.ts";
import { projectToWire, type StoredProject, workspaceOf } from "../models/project.ts";
import type { StoredProvider } from "../models/provider.ts";
import { transcriptOf } from "../turns/history.ts";
import { shortened } from "../turns/shorten.ts";
import type { HttpContext } from "./http-context.ts";
import { listPage, placeCursor } from "./list-page.ts";
import { usableBy, withoutUndefined } from "./machines.ts";
import type { Handlers } from "./router.ts";

export function chatHandlers(context: HttpContext): Handlers {
  const { models, line } = context;

  const projectOf = async (id: ProjectId, owner: UserId): Promise<StoredProject> => {
    const project = await models.projects.findOne({ _id: id, owner }).lean<StoredProject>();
    if (project === null) throw new RefusalError("not_found", "There is no such project.");
    return project;
  };
  const sessionOf = async (id: SessionId, owner: UserId): Promise<StoredSession> => {
    const session = await models.sessions.findOne({ _id: id, owner }).lean<StoredSession>();
    if (session === null) throw new RefusalError("not_found", "There is no such session.");
    return session;
  };
  const droneFor = async (id: string | undefined, user: UserId): Promise<StoredDrone> => {
    const drones = await models.drones.find(usableBy<StoredDrone>(user)).lean<StoredDrone[]>();
    const drone = id === undefined ? drones[0] : drones.find(({ _id }) => _id === id);
    if (drone === undefined) {
      throw new RefusalError(
        "invalid",
        "Not valid: droneId: there is no such drone. Add one first.",
      );
    }
    if (id === undefined && drones.length > 1) {
      throw new RefusalError(
        "invalid",
        "Not valid: droneId: there are several drones, choose one.",
      );
    }
    return drone;
  };
  const firstProvider = async (user: UserId): Promise<StoredProvider | undefined> => {
    const own = await models.providers
      .find(usableBy<StoredProvider>(user))
      .sort({ createdAt: 1, _id: 1 })
      .lean<StoredProvider[]>();
    return own.find((provider) => provider.kind === "demo") ?? own[0];
  };

  return {
    listProjects: ({ user, query }) =>
      listPage(models.projects, { owner: user._id }, query, projectToWire),
    createProject: async ({ user, body: { name, droneId, gitUrl, directory } }) => {
      if (gitUrl !== undefined && directory !== undefined) {
        throw new RefusalError(
          "invalid",
          "Not valid: gitUrl, directory: give one of them, not both.",
        );
      }
      const drone = await droneFor(droneId, user._id);
      const project: StoredProject = {
        _id: newId(ProjectId),
        owner: user._id,
        name,
        droneId: drone._id,
        source: sourceOf(gitUrl, directory),
        ...(directory !== undefined && { directory }),
        environment: [],
        createdAt: context.now(),
      };
      await models.projects.create([project]);
      return { project: projectToWire(project) };
    },
    getProject: async ({ user, params: { id } }) => ({
      project: projectToWire(await projectOf(id, user._id)),
    }),
    listSessions: ({ user, query }) =>
      listPage(models.sessions, { owner: user._id }, query, sessionToWire, "updatedAt"),
    listProjectSessions: async ({ user, params: { id }, query }) => {
      const { _id: projectId } = await projectOf(id, user._id);
      return listPage(
        models.sessions,
        { owner: user._id, projectId },
        query,
        sessionToWire,
        "updatedAt",
      );
    },
    createSession: async ({ user, params: { id }, body }) => {
      const project = await projectOf(id, user._id);
      const fallback =
        body.providerId ?? project.providerId ?? (await firstProvider(user._id))?._id;
      const provider =
        fallback === undefined
          ? null
          : await models.providers
              .findOne({ $and: [{ _id: fallback }, usableBy<StoredProvider>(user._id)] })
              .lean<StoredProvider>();
      if (provider === null && body.providerId !== undefined) {
        throw new RefusalError("invalid", "Not valid: providerId: there is no such provider.");
      }
      const now = context.now();
      const session: StoredSession = {
        _id: newId(SessionId),
        owner: user._id,
        projectId: project._id,
        droneId: project.droneId,
        title: body.title ?? "New session",
        titled: body.title !== undefined,
        providerId: provider?._id ?? null,
        model: body.model ?? project.model ?? provider?.defaultModel ?? null,
        approval: body.approval ?? "edits",
        allowed: [],
        createdAt: now,
        updatedAt: now,
      };
      await models.sessions.create([session]);
      return { session: sessionToWire(session) };
    },
    getSession: async ({ user, params: { id } }) => ({
      session: sessionToWire(await sessionOf(id, user._id)),
    }),
    updateSession: async ({ user, params: { id }, body }) => {
      const set = { ...withoutUndefined(body), ...(body.title !== undefined && { titled: true }) };
      const session = await models.sessions
        .findOneAndUpdate({ _id: id, owner: user._id }, { $set: set }, { returnDocument: "after" })
        .lean<StoredSession>();
      if (session === null) throw new RefusalError("not_found", "There is no such session.");
      context.publish.sessionChanged(session);
      return { session: sessionToWire(session) };
    },
    getTranscript: async ({ user, params: { id }, query: { before, limit = 20 } }) => {
      const session = await sessionOf(id, user._id);
      const filter = { owner: user._id, sessionId: session._id };
      const page = { limit, cursor: await cursorBefore(context, session, before) };
      const { items, nextCursor } = await listPage(
        models.turns,
        filter,
        page,
        (turn: StoredTurn) => turn,
      );
      const shown = items.map(
        async (turn): Promise<TurnWithTranscript> => ({
          turn: turnToWire(turn),
          transcript: shortened(await transcriptOf(models, turn)),
        }),
      );
      return { items: await Promise.all(shown), nextCursor };
    },
    readFiles: async ({ user, params: { id }, query: { path = "" } }) => {
      const session = await sessionOf(id, user._id);
      const project = await projectOf(session.projectId, user._id);
      const drone = session.droneId ?? project.droneId;
      if (drone === null) throw new RefusalError("drone_offline");
      return line.order(drone, "readWorkspace", [{ ...workspaceOf(project), path }], 15_000);
    },
  };
}

/** `before` is a page's cursor, or the oldest turn that the caller holds. */
async function cursorBefore(
  { models }: HttpContext,
  { _id: sessionId, owner }: StoredSession,
  before: string | undefined,
): Promise<string | undefined> {
  const turnId = TurnId.safeParse(before);
  if (!turnId.success) return before;
  const turn = await models.turns
    .findOne({ _id: turnId.data, sessionId, owner }, { createdAt: 1 })
    .lean<StoredTurn>();
  return turn === null ? before : placeCursor(turn);
}

function sourceOf(gitUrl: string | undefined, directory: string | undefined): WorkspaceSource {
  if (gitUrl !== undefined) return { kind: "git", gitUrl };
  return directory === undefined ? { kind: "empty" } : { kind: "directory", directory };
}
