import { randomUUID } from "node:crypto";
import type { DroneId, SessionId, UserId } from "@gadget/api";
import type { Response } from "express";
import { workspaceOf } from "../../models/project.ts";
import { ownedBy } from "../../people/owned.ts";
import type { HttpContext } from "../http-context.ts";
import { slicePage } from "../list-page.ts";
import type { Handlers } from "../router.ts";

/** Each a little more than what a drone gives itself. */
const readMs = 15_000;
const diffMs = 35_000;

/** What a session's workspace holds, asked of the drone that has it. */
export function workspaceHandlers({ models, line, limits, log }: HttpContext) {
  const placeOf = async (id: SessionId, owner: UserId) => {
    const own = ownedBy(models, owner);
    const session = await own.session(id);
    const project = await own.project(session.projectId);
    const droneId = await own.reachable(session.droneId ?? project.droneId);
    return { droneId, workspace: workspaceOf(project) };
  };
  /** When the asker leaves, the drone is told; undefined: nobody waits for it any more. */
  const whileAsked = async <Answer>(
    droneId: DroneId,
    res: Response,
    order: (requestId: string) => Promise<Answer>,
  ): Promise<Answer | undefined> => {
    if (res.closed) {
      return undefined;
    }
    const requestId = randomUUID();
    const leave = () => {
      if (res.writableFinished) {
        return;
      }
      line
        .order(droneId, "cancelRequest", [{ requestId }], readMs)
        .catch((error: unknown) => log.info({ err: error, droneId }, "a request runs on"));
    };
    res.once("close", leave);
    return order(requestId);
  };
  return {
    readFiles: async ({ user, params: { id }, query: { path = "" } }) => {
      const { droneId, workspace } = await placeOf(id, user._id);
      return line.order(droneId, "readWorkspace", [{ ...workspace, path }], readMs);
    },
    getWorkspace: async ({ user, params: { id } }) => {
      const { droneId, workspace } = await placeOf(id, user._id);
      return { workspace: await line.order(droneId, "describeWorkspace", [workspace], readMs) };
    },
    findFiles: async ({ user, params: { id }, query: { q: wanted = "", ...page }, res }) => {
      const { droneId, workspace } = await placeOf(id, user._id);
      // Each letter that somebody types may ask anew.
      const found = await limits.finds.run(user._id, () =>
        whileAsked(droneId, res, (requestId) =>
          line.order(droneId, "findFiles", [{ ...workspace, requestId, wanted }], readMs),
        ),
      );
      if (found === undefined) {
        return undefined;
      }
      const { items, note } = found;
      return { ...slicePage(items, page), ...(note !== undefined && { note }) };
    },
    getWorkspaceDiff: async ({ user, params: { id }, res }) => {
      const { droneId, workspace } = await placeOf(id, user._id);
      return whileAsked(droneId, res, (requestId) =>
        line.order(droneId, "workspaceDiff", [{ ...workspace, requestId }], diffMs),
      );
    },
  } satisfies Handlers;
}
