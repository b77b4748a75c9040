import { type Person, RefusalError, type SessionId, type UserId } from "@gadget/api";
import { ownerOf } from "../drones/share.ts";
import type { StoredSession } from "../models/chat-session.ts";
import type { StoredTurn } from "../models/chat-turn.ts";
import type { StoredDrone } from "../models/drone.ts";
import { type StoredProject, workspaceOf } from "../models/project.ts";
import { noLongerShared } from "../people/owned.ts";
import { endCommands } from "../sessions/end-commands.ts";
import { abort } from "./abort.ts";
import type { TurnContext } from "./state/turn-context.ts";

const droneMs = 15_000;

/** What was ended of people who may not use a drone (any more). */
export interface Ended {
  turns: number;
  commands: number;
}

export function endedWords({ turns, commands }: Ended): string {
  const count = (number: number, noun: string): string =>
    `${number} ${noun}${number === 1 ? "" : "s"}`;
  return `${count(turns, "turn")} and ${count(commands, "background command")} ended`;
}

/** Whether a person may use a drone now; `people` are those who still have an account. */
type MayUse = (owner: UserId) => boolean;

/**
 * Ends what runs or waits on a drone for people who may not use it: it is not shared any more, or
 * they are no members any more. A drone that is away is told at its next hello.
 */
export async function endForeign(
  context: TurnContext,
  drone: StoredDrone,
  by: Person,
  reason: string,
): Promise<Ended> {
  const { _id: droneId, owner } = drone;
  const foreign = await context.models.turns
    .find({
      unsettled: true,
      owner: { $ne: owner },
      $or: [{ "lease.droneId": droneId }, { droneId }],
    })
    .lean<StoredTurn[]>();
  const mayUse = await judge(context, drone, foreign);
  const turns = foreign.filter((turn) => !mayUse(turn.owner));
  await Promise.all(turns.map((turn) => endTurn(context, turn, by, reason)));
  await endForeignClones(context, drone);
  return { turns: turns.length, commands: await endForeignCommands(context, drone) };
}

async function endForeignClones(context: TurnContext, drone: StoredDrone): Promise<void> {
  const { models, line, log } = context;
  const { _id: droneId, owner } = drone;
  const cloned = await models.projects
    .find({ droneId, owner: { $ne: owner }, "source.kind": "git" })
    .lean<StoredProject[]>();
  const mayUse = await judge(context, drone, cloned);
  const foreign = cloned.filter((project) => !mayUse(project.owner)).map(workspaceOf);
  const cancelled = foreign.map((of) => line.order(droneId, "cancelClone", [of], droneMs));
  for (const { reason } of (await Promise.allSettled(cancelled)).filter(isRejected)) {
    log.info({ err: reason as unknown, droneId }, "a clone could not be cancelled");
  }
}

function isRejected(result: PromiseSettledResult<unknown>): result is PromiseRejectedResult {
  return result.status === "rejected";
}

/** The same in the name of the drone's owner, with the usual reason. */
export async function endUnshared(context: TurnContext, drone: StoredDrone): Promise<Ended> {
  const by = await ownerOf(context.models, drone);
  return endForeign(context, drone, by, noLongerShared(drone));
}

async function judge(
  { models }: TurnContext,
  { owner, shared }: StoredDrone,
  of: readonly { owner: UserId }[],
): Promise<MayUse> {
  const others = [...new Set(of.map((each) => each.owner))].filter((one) => one !== owner);
  const members =
    shared && others.length > 0
      ? await models.users.find({ _id: { $in: others } }, { _id: 1 }).lean()
      : [];
  const allowed = new Set<UserId>([owner, ...members.map(({ _id }) => _id)]);
  return (person) => allowed.has(person);
}

async function endTurn(
  context: TurnContext,
  { _id }: StoredTurn,
  by: Person,
  errorMessage: string,
): Promise<void> {
  // Before the abort, whose end keeps it.
  await context.models.turns.updateOne({ _id, unsettled: true }, { $set: { errorMessage } });
  await abort(context, _id, by, async () => ({}));
}

/** Commands of sessions that may not be, or are not, on this drone any more. */
async function endForeignCommands(context: TurnContext, drone: StoredDrone): Promise<number> {
  const { models, line, log } = context;
  const { _id: droneId } = drone;
  const listed = await line.order(droneId, "listBackground", [{}], droneMs).catch((error) => {
    log.info({ err: error as unknown, droneId }, "background commands could not be listed");
    return error instanceof RefusalError && error.code === "invalid" ? "by session" : undefined;
  });
  if (listed === undefined) {
    return 0;
  }
  if (listed === "by session") {
    return endBySession(context, drone);
  }
  const ids = [...new Set(listed.commands.map(({ sessionId }) => sessionId))];
  if (ids.length === 0) {
    return 0;
  }
  const sessions = await models.sessions.find({ _id: { $in: ids } }).lean<StoredSession[]>();
  const mayUse = await judge(context, drone, sessions);
  const stay = new Set<SessionId>(
    sessions
      .filter((session) => mayUse(session.owner) && [null, droneId].includes(session.droneId))
      .map(({ _id }) => _id),
  );
  const gone = ids.filter((id) => !stay.has(id));
  await Promise.all(gone.map((_id) => endCommands(context, { _id, droneId })));
  return listed.commands.filter(({ sessionId }) => !stay.has(sessionId)).length;
}

/** A drone of an older version lists the commands of one session only. */
async function endBySession(context: TurnContext, drone: StoredDrone): Promise<number> {
  const { _id: droneId, owner } = drone;
  const sessions = await context.models.sessions
    .find({ droneId, owner: { $ne: owner } })
    .lean<StoredSession[]>();
  const mayUse = await judge(context, drone, sessions);
  const foreign = sessions.filter((session) => !mayUse(session.owner));
  await Promise.all(foreign.map((session) => endCommands(context, session)));
  return 0;
}
