import {
  type DroneId,
  headOf,
  isSettled,
  newId,
  RefusalError,
  type SessionId,
  type SubmitPrompt,
  TurnId,
  type UserId,
} from "@gadget/api";
import type { StoredSession } from "../models/chat-session.ts";
import type { StoredTurn } from "../models/chat-turn.ts";
import type { StoredDrone } from "../models/drone.ts";
import { droneStatus } from "../models/drone-status.ts";
import { isDuplicateKey } from "../models/is-duplicate-key.ts";
import { ownedBy } from "../people/owned.ts";
import { dispatchDrone } from "./dispatch.ts";
import { logQueued } from "./log/log-queued.ts";
import { rememberTurn } from "./state/remember-turn.ts";
import type { TurnContext } from "./state/turn-context.ts";

/** How long a prompt waits for an abort of the turn before it to settle. */
const abortingWaitMs = 5_000;
/** Of one person, in all sessions. */
const mostQueued = 200;

export type Submission = Omit<SubmitPrompt, "sessionId" | "turnId"> & {
  turnId?: TurnId | undefined;
  kind?: "compact";
};

/**
 * Stores a prompt as a queued turn. The same turn id with the same prompt is the same turn, so
 * that a retry is safe; the partial unique index lets one unsettled turn into a session.
 */
export async function submit(
  context: TurnContext,
  owner: UserId,
  sessionId: SessionId,
  submission: Submission,
  /** Whether this person may send a prompt now: an abort right behind it finds it meanwhile. */
  admitted: Promise<unknown> = Promise.resolve(),
): Promise<StoredTurn> {
  const taken = take(context, owner, sessionId, submission, admitted);
  if (submission.turnId !== undefined) {
    const stored = taken.then(({ turn }) => turn);
    context.live.arrives(submission.turnId, owner, stored);
  }
  const { session, turn, isNew } = await taken;
  if (!isNew) {
    return turn;
  }
  await logQueued(context, turn);
  await nameSession(context, session, turn.prompt);
  await rememberTurn(context, turn);
  if (turn.droneId !== null) {
    dispatchDrone(context, turn.droneId);
  }
  return turn;
}

/** Makes the turn and stores it. Not new: it was stored before, by the same prompt. */
async function take(
  context: TurnContext,
  owner: UserId,
  sessionId: SessionId,
  submission: Submission,
  admitted: Promise<unknown>,
): Promise<{ session: StoredSession; turn: StoredTurn; isNew: boolean }> {
  await admitted;
  const { sessions } = context.models;
  const session = await sessions.findOne({ _id: sessionId, owner }).lean<StoredSession>();
  if (session === null) {
    throw new RefusalError("not_found", "There is no such session.");
  }
  const made = await newTurn(context, session, submission);
  context.live.made(made);
  const turn = await insert(context, made);
  return { session, turn, isNew: turn === made };
}

async function newTurn(
  context: TurnContext,
  session: StoredSession,
  { turnId, prompt, continues, kind, runAnyway }: Submission,
): Promise<StoredTurn> {
  const { models } = context;
  if (kind === "compact") {
    const said = await models.turns.exists({ sessionId: session._id, kind: { $exists: false } });
    if (said === null) {
      throw new RefusalError("conflict", "There is nothing to compact yet.");
    }
  } else if (continues !== undefined) {
    const cut = await models.turns.findOne({ _id: continues, sessionId: session._id }).lean();
    if (cut === null || cut.kind === "compact" || !isSettled(cut.status)) {
      throw new RefusalError(
        "conflict",
        "Only a turn of this session that has ended can be continued.",
      );
    }
  } else if (prompt === undefined || prompt.trim() === "") {
    throw new RefusalError("invalid", "The prompt is empty. Say what to do.");
  }
  const [project] = await Promise.all([
    models.projects.findById(session.projectId).lean(),
    refuseTooMany(context, session.owner),
  ]);
  const droneId = session.droneId ?? project?.droneId ?? null;
  if (droneId !== null) {
    await ownedBy(models, session.owner).reachable(droneId);
  }
  return {
    _id: turnId ?? newId(TurnId),
    owner: session.owner,
    sessionId: session._id,
    projectId: session.projectId,
    droneId,
    prompt: prompt ?? "",
    ...(continues !== undefined && { continues }),
    // A summary touches no file: it need not wait for the workspace.
    ...(kind !== undefined && { kind, runAnyway: true }),
    ...(runAnyway === true && { runAnyway }),
    status: "queued",
    unsettled: true,
    ...(!(await isThere(context, droneId)) && { waitingFor: "drone" as const }),
    createdAt: context.now(),
    usage: { inputTokens: 0, outputTokens: 0 },
    filesChanged: [],
    epoch: 0,
  };
}

async function refuseTooMany({ models }: TurnContext, owner: UserId): Promise<void> {
  const waiting = { owner, status: "queued", unsettled: true } as const;
  if ((await models.turns.countDocuments(waiting)) < mostQueued) {
    return;
  }
  throw new RefusalError(
    "queue_full",
    `${mostQueued} of your prompts wait for a drone already. Wait, or cancel some of them.`,
  );
}

/** Connected to this node, or, by its heartbeats, to another. */
async function isThere(context: TurnContext, droneId: DroneId | null): Promise<boolean> {
  if (droneId === null) {
    return false;
  }
  if (context.line.isHere(droneId)) {
    return true;
  }
  if (!context.nodes.shared) {
    return false;
  }
  const drone = await context.models.drones.findById(droneId).lean<StoredDrone>();
  return drone !== null && droneStatus(drone, context.now()) !== "offline";
}

/** Gives back the turn itself where it was stored, or the one that was stored before. */
async function insert(context: TurnContext, turn: StoredTurn): Promise<StoredTurn> {
  const { models } = context;
  const deadline = context.elapsed() + abortingWaitMs;
  for (;;) {
    try {
      await models.turns.create([turn]);
      context.live.submitted(turn);
      return turn;
    } catch (error) {
      if (!isDuplicateKey(error)) {
        throw error;
      }
    }
    const same = await models.turns.findById(turn._id).lean<StoredTurn>();
    if (same !== null) {
      return retryOf(context, same, turn);
    }
    const rival = await models.turns.findOne({ sessionId: turn.sessionId, unsettled: true }).lean();
    if (rival !== null && (rival.status !== "aborting" || context.elapsed() > deadline)) {
      throw new RefusalError("busy", undefined, { turnId: rival._id, status: rival.status });
    }
    await context.wait(20);
  }
}

async function retryOf(
  context: TurnContext,
  stored: StoredTurn,
  turn: StoredTurn,
): Promise<StoredTurn> {
  const same =
    stored.owner === turn.owner &&
    stored.sessionId === turn.sessionId &&
    stored.prompt === turn.prompt &&
    stored.continues === turn.continues;
  if (!same) {
    throw new RefusalError("conflict", "This turn id is taken by another prompt.");
  }
  if (turn.runAnyway !== true || stored.runAnyway === true) {
    return stored;
  }
  const filter = { _id: stored._id, status: "queued" } as const;
  await context.models.turns.updateOne(filter, { $set: { runAnyway: true } });
  if (stored.droneId !== null) {
    dispatchDrone(context, stored.droneId);
  }
  return { ...stored, runAnyway: true };
}

/** A title is the first prompt's first line, 60 characters at most, until a person gives one. */
async function nameSession(
  context: TurnContext,
  session: StoredSession,
  prompt: string,
): Promise<void> {
  const line = prompt.trim().split("\n", 1)[0] ?? "";
  if (session.titled || session.lastTurn !== undefined || line === "") {
    return;
  }
  const title = line.length > 60 ? `${headOf(line, 59)}…` : line;
  await context.models.sessions.updateOne(
    { _id: session._id, titled: false },
    { $set: { title, titled: true } },
  );
}
