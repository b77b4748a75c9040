import { RefusalError, type UserId } from "@gadget/api";
import type { StoredSession } from "../../models/chat-session.ts";
import type { StoredDrone } from "../../models/drone.ts";
import { personOf } from "../../models/user.ts";
import { audit } from "../../people/audit.ts";
import { ownedBy } from "../../people/owned.ts";
import type { HttpContext } from "../http-context.ts";
import { slicePage } from "../list-page.ts";
import type { Handlers } from "../router.ts";

/** A little more than what a drone gives itself. */
const droneMs = 15_000;

/** The background commands of a drone: whoever lends it sees that they run, and can stop them. */
export function droneCommandHandlers(context: HttpContext) {
  const { models, line } = context;

  const commandsOn = async (drone: StoredDrone, viewer: UserId) => {
    const { commands } = await line.order(drone._id, "listBackground", [{}], droneMs);
    const ids = [...new Set(commands.map(({ sessionId }) => sessionId))];
    const sessions = await models.sessions.find({ _id: { $in: ids } }).lean<StoredSession[]>();
    const owners = new Map(sessions.map(({ _id, owner }) => [_id, owner]));
    return commands
      .map((command) => ({ command, owner: owners.get(command.sessionId) }))
      .filter(({ owner }) => drone.owner === viewer || owner === viewer);
  };

  return {
    listDroneCommands: async ({ user, params: { id }, query }) => {
      const drone = await ownedBy(models, user._id).usableDrone(id);
      const seen = await commandsOn(drone, user._id);
      const owners = [...new Set(seen.flatMap(({ owner }) => owner ?? []))];
      const users = await models.users.find({ _id: { $in: owners } }, { name: 1 }).lean();
      const names = new Map(users.map(({ _id, name }) => [_id, name]));
      const items = seen.map(
        ({ command: { id: commandId, sessionId, startedAt, command }, owner }) => ({
          id: commandId,
          // Of a session that was deleted nobody is left to name.
          by: {
            id: owner ?? drone.owner,
            name: names.get(owner ?? drone.owner) ?? "somebody who left",
          },
          startedAt,
          ...(owner === user._id && { own: { sessionId, command } }),
        }),
      );
      return slicePage(items, query);
    },
    stopDroneCommand: async ({ user, params: { id, commandId }, req }) => {
      const drone = await ownedBy(models, user._id).usableDrone(id);
      const found = (await commandsOn(drone, user._id)).find(
        ({ command }) => command.id === commandId,
      );
      if (found === undefined) {
        throw new RefusalError("not_found", "There is no such background command any more.");
      }
      const { sessionId } = found.command;
      const answer = await line.order(id, "stopBackground", [{ sessionId, commandId }], droneMs);
      if (found.owner !== user._id) {
        const by = personOf(user);
        audit(context, { action: "command stopped", by, address: req.ip, subject: id });
      }
      return answer;
    },
  } satisfies Handlers;
}
