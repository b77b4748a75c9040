import type { SessionId, UserId } from "@gadget/api";
import { ownedBy } from "../../people/owned.ts";
import type { HttpContext } from "../http-context.ts";
import { slicePage } from "../list-page.ts";
import type { Handlers } from "../router.ts";

/** A little more than what a drone gives itself. */
const droneMs = 15_000;

/** The background commands of a session. Only its drone knows them: nothing of them is stored. */
export function commandHandlers({ models, line }: HttpContext) {
  const placeOf = async (id: SessionId, owner: UserId) => {
    const own = ownedBy(models, owner);
    const { _id: sessionId, droneId } = await own.session(id);
    return { sessionId, droneId: await own.reachable(droneId) };
  };
  return {
    listCommands: async ({ user, params: { id }, query }) => {
      const { sessionId, droneId } = await placeOf(id, user._id);
      const { commands } = await line.order(droneId, "listBackground", [{ sessionId }], droneMs);
      return slicePage(commands, query);
    },
    stopCommand: async ({ user, params: { id, commandId } }) => {
      const { sessionId, droneId } = await placeOf(id, user._id);
      return line.order(droneId, "stopBackground", [{ sessionId, commandId }], droneMs);
    },
  } satisfies Handlers;
}
