import { type Project, type ProjectId, RefusalError, type UserId } from "@gadget/api";
import { projectToWire, type StoredProject, workspaceOf } from "../../models/project.ts";
import { ownedBy } from "../../people/owned.ts";
import type { HttpContext } from "../http-context.ts";
import type { Handlers } from "../router.ts";
import { sourceOf } from "../source-of.ts";

const stateMs = 3_000;
const startMs = 12_000;
const cancelMs = 12_000;

/** A git project's clone is its drone's to know: nothing of it is stored. */
export function cloneHandlers(context: HttpContext) {
  const { models, line } = context;

  const gitProject = async (id: ProjectId, user: UserId) => {
    const own = ownedBy(models, user);
    const project = await own.project(id);
    const { source } = project;
    if (source.kind !== "git") {
      throw new RefusalError("conflict", "This project has no git address: nothing is cloned.");
    }
    return { project, droneId: await own.reachable(project.droneId) };
  };

  return {
    startClone: async ({ user, params: { id }, body: { gitUrl } }) => {
      const { project, droneId } = await gitProject(id, user._id);
      if (gitUrl === undefined) {
        const clone = await line.order(droneId, "startClone", [workspaceOf(project)], startMs);
        return { project: { ...projectToWire(project), clone } };
      }
      const source = sourceOf(gitUrl, undefined);
      const { state } = await line.order(droneId, "cloneState", [workspaceOf(project)], stateMs);
      if (state === "cloned" || state === "cloning") {
        throw new RefusalError(
          "conflict",
          state === "cloned"
            ? "It is cloned already. Make a new project for another address."
            : "It is being cloned. Cancel that first, then change the address.",
        );
      }
      const mended = { ...project, source };
      await models.projects.updateOne({ _id: id, owner: user._id }, { $set: { source } });
      const clone = await line.order(droneId, "startClone", [workspaceOf(mended)], startMs);
      return { project: { ...projectToWire(mended), clone } };
    },
    cancelClone: async ({ user, params: { id } }) => {
      const { project, droneId } = await gitProject(id, user._id);
      const clone = await line.order(droneId, "cancelClone", [workspaceOf(project)], cancelMs);
      return { project: { ...projectToWire(project), clone } };
    },
  } satisfies Handlers;
}

/** The project with the state of its clone, where its drone can be asked and knows of clones. */
export async function withClone(
  { models, line }: HttpContext,
  project: StoredProject,
  how: "startClone" | "cloneState" = "cloneState",
): Promise<Project> {
  const wire = projectToWire(project);
  const { droneId, source } = project;
  if (source.kind !== "git" || droneId === null) {
    return wire;
  }
  const ms = how === "startClone" ? startMs : stateMs;
  try {
    await ownedBy(models, project.owner).reachable(droneId);
    return { ...wire, clone: await line.order(droneId, how, [workspaceOf(project)], ms) };
  } catch (error) {
    // The first turn clones what was not cloned before.
    if (error instanceof RefusalError) {
      return wire;
    }
    throw error;
  }
}

/** Nobody will look at it any more. */
export async function endClone({ line, log }: HttpContext, project: StoredProject): Promise<void> {
  const { droneId, source } = project;
  if (source.kind !== "git" || droneId === null) {
    return;
  }
  try {
    await line.order(droneId, "cancelClone", [workspaceOf(project)], cancelMs);
  } catch (error) {
    log.info({ err: error, projectId: project._id }, "a clone could not be cancelled");
  }
}
