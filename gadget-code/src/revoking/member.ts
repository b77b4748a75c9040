import { RefusalError, type Role, type UserId } from "@gadget/api";
import { noteOnDrone } from "../drones/share.ts";
import type { StoredTurn } from "../models/chat-turn.ts";
import type { StoredDrone } from "../models/drone.ts";
import type { Models } from "../models/models.ts";
import type { StoredUser } from "../models/user.ts";
import type { HangUp } from "../people/hang-up.ts";
import { type Ended, endedWords, endForeign } from "../turns/end-foreign.ts";
import { forceStop } from "../turns/force-stop.ts";
import type { TurnContext } from "../turns/state/turn-context.ts";
import { revokeDrone } from "./revoke-drone.ts";

const lastOwner = new RefusalError(
  "conflict",
  "This is the last owner. Make somebody else an owner first.",
);

/** Two owners who demote each other at once both get their role back. */
async function demote(models: Models, _id: UserId): Promise<void> {
  await models.users.updateOne({ _id }, { $set: { role: "member" } });
  if ((await models.users.exists({ role: "owner" })) !== null) {
    return;
  }
  await models.users.updateOne({ _id }, { $set: { role: "owner" } });
  throw lastOwner;
}

async function memberOf(models: Models, id: UserId): Promise<StoredUser> {
  const user = await models.users.findById(id).lean<StoredUser>();
  if (user === null) {
    throw new RefusalError("not_found", "There is no such member.");
  }
  return user;
}

export async function changeMember(
  models: Models,
  id: UserId,
  { name, role }: { name?: string | undefined; role?: Role | undefined },
): Promise<StoredUser> {
  const user = await memberOf(models, id);
  if (role === "member" && user.role === "owner") {
    await demote(models, id);
  }
  const set = { ...(name !== undefined && { name }), ...(role === "owner" && { role }) };
  await models.users.updateOne({ _id: id }, { $set: set });
  return memberOf(models, id);
}

const noMember = "Its owner is no member any more.";

/**
 * Ends all that a person can do here: sign-ins, tokens, keys, drones and what runs. Their chats
 * stay in the database, where nobody can see them.
 */
export async function removeMember(
  context: TurnContext & { hangUp: HangUp },
  id: UserId,
  by: { id: UserId; name: string },
): Promise<{ user: StoredUser; ended: Ended }> {
  const { models, hangUp } = context;
  const user = await memberOf(models, id);
  if (user.role === "owner") {
    await demote(models, id);
  }
  // From here on no credential of theirs is good, also where the rest fails half-way.
  await models.users.deleteOne({ _id: id });
  await Promise.all([
    models.logins.deleteMany({ userId: id }),
    models.apiTokens.deleteMany({ owner: id }),
    models.enrollments.deleteMany({ owner: id }),
    models.providers.deleteMany({ owner: id }),
  ]);
  hangUp.person(id);
  for (const drone of await models.drones.find({ owner: id }).lean<StoredDrone[]>()) {
    await revokeDrone(context, drone);
  }
  const running = await models.turns.find({ owner: id, unsettled: true }).lean<StoredTurn[]>();
  for (const turn of running) {
    await endTurn(context, turn, by);
  }
  const used = await models.sessions.distinct("droneId", { owner: id });
  const lent = await models.drones.find({ _id: { $in: used } }).lean<StoredDrone[]>();
  let commands = 0;
  for (const drone of lent) {
    const turns = running.filter(({ lease }) => lease?.droneId === drone._id).length;
    const { commands: stopped } = await endForeign(context, drone, by, noMember);
    const ended = { turns, commands: stopped };
    commands += ended.commands;
    if (turns + ended.commands === 0) {
      continue;
    }
    const text = `${user.name} was removed by ${by.name}: ${endedWords(ended)} here.`;
    await noteOnDrone(models, drone, text, context.now());
  }
  return { user, ended: { turns: running.length, commands } };
}

async function endTurn(
  context: TurnContext,
  { _id }: StoredTurn,
  by: { id: UserId; name: string },
): Promise<void> {
  try {
    await forceStop(context, _id, by, async () => ({}));
  } catch (error) {
    // It settled by itself meanwhile.
    if (!(error instanceof RefusalError && error.code === "not_running")) {
      throw error;
    }
  }
}
