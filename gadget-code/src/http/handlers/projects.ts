import { type DroneId, newId, ProjectId, RefusalError, type UserId } from "@gadget/api";
import type { StoredSession } from "../../models/chat-session.ts";
import type { StoredDrone } from "../../models/drone.ts";
import { projectToWire, type StoredProject } from "../../models/project.ts";
import { ownedBy, usableBy } from "../../people/owned.ts";
import { endCommands } from "../../sessions/end-commands.ts";
import { forget } from "../../sessions/forget.ts";
import { dispatchDrone } from "../../turns/dispatch.ts";
import type { HttpContext } from "../http-context.ts";
import { listPage } from "../list-page.ts";
import type { Handlers } from "../router.ts";
import { sourceOf } from "../source-of.ts";
import { withoutUndefined } from "../without-undefined.ts";
import { endClone, withClone } from "./clones.ts";

const droneMs = 15_000;

export function projectHandlers(context: HttpContext) {
  const { models } = context;

  const droneFor = async (id: DroneId | undefined, user: UserId): Promise<StoredDrone> => {
    const drones = await models.drones.find(usableBy<StoredDrone>(user)).lean<StoredDrone[]>();
    const drone = id === undefined ? drones[0] : drones.find(({ _id }) => _id === id);
    if (drone === undefined) {
      throw new RefusalError("invalid", "There is no such drone. Add one first.");
    }
    if (id === undefined && drones.length > 1) {
      throw new RefusalError("invalid", "There are several drones. Choose one.");
    }
    return drone;
  };

  return {
    listProjects: ({ user, query }) =>
      listPage(models.projects, { owner: user._id }, query, projectToWire),
    createProject: async ({ user, body: { name, droneId, gitUrl, directory } }) => {
      const source = sourceOf(gitUrl, directory);
      const drone = await droneFor(droneId, user._id);
      if (directory !== undefined) {
        await checkFolder(context, drone, user._id, directory);
      }
      const project: StoredProject = {
        _id: newId(ProjectId),
        owner: user._id,
        name,
        droneId: drone._id,
        source,
        ...(directory !== undefined && { directory }),
        environment: [],
        createdAt: context.now(),
      };
      await models.projects.create([project]);
      return { project: await withClone(context, project, "startClone") };
    },
    getProject: async ({ user, params: { id } }) => ({
      project: await withClone(context, await ownedBy(models, user._id).project(id)),
    }),
    updateProject: async ({ user, params: { id }, body }) => {
      const before = await ownedBy(models, user._id).project(id);
      const { droneId } = body;
      if (droneId !== undefined && droneId !== before.droneId) {
        await move(context, before, await droneFor(droneId, user._id));
      }
      const project = await models.projects
        .findOneAndUpdate(
          { _id: id, owner: user._id },
          { $set: withoutUndefined(body) },
          { returnDocument: "after" },
        )
        .lean<StoredProject>();
      if (project === null) {
        throw new RefusalError("not_found", "There is no such project.");
      }
      return { project: projectToWire(project) };
    },
    deleteProject: async ({ user, params: { id } }) => {
      const project = await ownedBy(models, user._id).project(id);
      const mine = { projectId: project._id, owner: user._id };
      if ((await models.turns.exists({ ...mine, unsettled: true })) !== null) {
        throw new RefusalError(
          "in_use",
          "A turn of this project has not settled. Cancel it or wait for its end.",
        );
      }
      const sessions = await models.sessions.find(mine).lean<StoredSession[]>();
      for (const session of sessions) {
        await forget(context, session);
      }
      await models.projects.deleteOne({ _id: project._id, owner: user._id });
      await endClone(context, project);
      return { ok: true };
    },
  } satisfies Handlers;
}

/** To another drone, with its sessions and all that waits in them; not while something runs. */
async function move(
  context: HttpContext,
  project: StoredProject,
  drone: StoredDrone,
): Promise<void> {
  const { models } = context;
  const mine = { projectId: project._id, owner: project.owner };
  const running = { ...mine, status: { $in: ["processing", "aborting"] as const } };
  if ((await models.turns.exists(running)) !== null) {
    throw new RefusalError("in_use", "A turn of this project runs. Cancel it or wait for its end.");
  }
  const { source } = project;
  if (source.kind === "directory") {
    await checkFolder(context, drone, project.owner, source.directory);
  }
  await endClone(context, project);
  const sessions = await models.sessions.find(mine).lean<StoredSession[]>();
  const there = { $set: { droneId: drone._id } };
  const own = { _id: project._id, owner: project.owner };
  await models.projects.updateOne(own, { ...there, $unset: { lostDrone: 1 } });
  await models.sessions.updateMany(mine, there);
  await models.turns.updateMany({ ...mine, status: "queued" }, there);
  await Promise.all(sessions.map((session) => endCommands(context, session)));
  for (const session of sessions) {
    context.publish.sessionChanged({ ...session, droneId: drone._id });
  }
  dispatchDrone(context, drone._id);
}

/** The drone itself decides again when it opens the folder; this tells the mistake early. */
async function checkFolder(
  { line }: HttpContext,
  drone: StoredDrone,
  user: UserId,
  directory: string,
): Promise<void> {
  if (!directory.startsWith("/")) {
    throw new RefusalError("invalid", "Give an absolute path of a folder on the drone.");
  }
  if (drone.owner !== user) {
    throw new RefusalError(
      "forbidden",
      "Existing folders can be opened only on your own drones. Give a Git address, or leave both empty.",
    );
  }
  try {
    await line.order(drone._id, "listFolders", [{ path: directory }], droneMs);
  } catch (error) {
    if (!(error instanceof RefusalError)) {
      throw error;
    }
    if (error.code === "drone_offline" || error.code === "unavailable") {
      return;
    }
    throw new RefusalError("invalid", error.message);
  }
}
