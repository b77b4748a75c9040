import { isSettled, RefusalError, type TurnId, type UserId } from "@gadget/api";
import type { StoredTurn } from "../../models/chat-turn.ts";
import { workspaceOf } from "../../models/project.ts";
import { ownedBy } from "../../people/owned.ts";
import type { HttpContext } from "../http-context.ts";
import type { Handlers } from "../router.ts";

/** A little more than what a drone gives itself. */
const droneMs = 65_000;

/** What a turn did to files, asked of the drone that has them. */
export function turnFileHandlers(context: HttpContext) {
  const { models, line } = context;

  const placeOf = async (id: TurnId, owner: UserId) => {
    const own = ownedBy(models, owner);
    const turn = await own.turn(id);
    const project = await own.project(turn.projectId);
    const droneId = await own.reachable(turn.droneId);
    return { turn, droneId, workspace: workspaceOf(project) };
  };

  /** Undo and a writing turn would each take the other's changes for a person's. */
  const refuseBusy = async (turn: StoredTurn): Promise<void> => {
    if (!isSettled(turn.status)) {
      throw new RefusalError("in_use", "The turn has not settled. Cancel it or wait for its end.");
    }
    const { projectId } = turn;
    const status = { $in: ["processing", "aborting"] as const };
    if ((await models.turns.exists({ projectId, status })) === null) {
      return;
    }
    throw new RefusalError(
      "in_use",
      "Another turn works in this workspace. Cancel it or wait for its end.",
    );
  };

  /** Every tab shows it, also after a reload. */
  const remember = async ({ _id }: StoredTurn, isUndone: boolean): Promise<void> => {
    const turn = await models.turns
      .findOneAndUpdate(
        { _id },
        isUndone ? { $set: { undone: true } } : { $unset: { undone: 1 } },
        { returnDocument: "after" },
      )
      .lean<StoredTurn>();
    if (turn !== null) {
      context.publish.turnChanged(turn);
    }
  };

  return {
    getDiff: async ({ user, params: { id } }) => {
      const { droneId, workspace } = await placeOf(id, user._id);
      return line.order(droneId, "turnDiff", [{ ...workspace, turnId: id }], droneMs);
    },
    undoTurn: async ({ user, params: { id }, body: { preview = false } }) => {
      const { turn, droneId, workspace } = await placeOf(id, user._id);
      if (!preview) {
        await refuseBusy(turn);
      }
      const order = { ...workspace, turnId: id, preview };
      const result = await line.order(droneId, "undoTurn", [order], droneMs);
      if (!preview && result.restored.length > 0) {
        await remember(turn, !result.redo);
      }
      return result;
    },
  } satisfies Handlers;
}
