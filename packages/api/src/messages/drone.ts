import * as z from "zod/mini";
import { ApprovalMode, MessageMode } from "../chat-session.ts";
import { Person, Stopped } from "../chat-turn.ts";
import { BackgroundCommand, DroneAbilities } from "../drone.ts";
import {
  ApprovalId,
  CallId,
  CommandId,
  DroneId,
  InstanceId,
  MessageId,
  QuestionId,
  SessionId,
  TurnId,
} from "../id.ts";
import { Instant } from "../instant.ts";
import { ProjectClone, WorkspaceSource } from "../project.ts";
import { Protocol } from "../protocol.ts";
import { Model, ProviderAccess, ProviderTest } from "../provider.ts";
import { plainLine } from "../text/is-text.ts";
import { ApprovalDecision, StrictTurnEvent } from "../turn-event.ts";
import { HistoryPage, WorkOrder } from "../work-order.ts";
import {
  FolderListing,
  FoundFiles,
  TurnDiff,
  UndoResult,
  Workspace,
  WorkspaceDiff,
  WorkspaceFile,
} from "../workspace.ts";
import { abortCommand, type Commands, command } from "./command.ts";

const count = z.int().check(z.nonnegative());
const turn = z.strictObject({ turnId: TurnId });
const done = z.object({});

/** What a drone puts into the handshake's `auth`; never into the URL. */
export const DroneAuth = z.strictObject({
  droneId: DroneId,
  credential: z.string().check(z.minLength(20), z.maxLength(200)),
  protocol: Protocol,
});
export type DroneAuth = z.infer<typeof DroneAuth>;

const mostCapacity = 1_000;
/** As many turns as a drone can hold, and what earlier ones of its processes may have left. */
const mostHeld = z.maxLength(2 * mostCapacity);

export const Hello = z.strictObject({
  /** New with every process: a server that sees a new one knows that the old loops are gone. */
  instanceId: InstanceId,
  protocol: Protocol,
  version: z.string().check(z.maxLength(50), plainLine),
  host: z.string().check(z.maxLength(200), plainLine),
  capacity: z.int().check(z.positive(), z.maximum(mostCapacity)),
  abilities: z.extend(DroneAbilities, {
    platform: z.string().check(z.maxLength(50), plainLine),
  }),
  roots: z.array(z.string().check(z.maxLength(4_096), plainLine)).check(z.maxLength(100)),
  running: z
    .array(z.strictObject({ turnId: TurnId, epoch: count, lastSeq: count }))
    .check(mostHeld),
  /** Events on disk of turns whose loop died with an earlier instance. */
  tails: z.optional(
    z.array(z.strictObject({ turnId: TurnId, epoch: count, lastSeq: count })).check(mostHeld),
  ),
  /** Orders that it took and gave up, with nothing left to tell: they must not be run again. */
  begun: z.optional(z.array(z.strictObject({ turnId: TurnId, epoch: count })).check(mostHeld)),
});
export type Hello = z.infer<typeof Hello>;

/** continue: go on · abort: somebody asked while you were away · kill: the lease is lost */
export const HelloVerdict = z.object({
  turnId: TurnId,
  verdict: z.enum(["continue", "abort", "kill"]),
  storedSeq: count,
});
export type HelloVerdict = z.infer<typeof HelloVerdict>;

export const HelloAnswer = z.object({
  protocol: z.int(),
  serverTime: Instant,
  heartbeatMs: z.int(),
  turns: z.array(HelloVerdict),
});
export type HelloAnswer = z.infer<typeof HelloAnswer>;

export const Heartbeat = z.strictObject({
  running: z.array(TurnId).check(mostHeld),
  draining: z.optional(z.boolean()),
  rttMs: z.optional(z.number().check(z.nonnegative())),
});
export type Heartbeat = z.infer<typeof Heartbeat>;

export const TurnEvents = z.strictObject({
  turnId: TurnId,
  epoch: count,
  events: z.array(StrictTurnEvent).check(z.maxLength(5_000)),
});
export type TurnEvents = z.infer<typeof TurnEvents>;

/** What a drone may tell or ask the server; DroneSession answers. */
export const droneCommands = {
  hello: command(z.tuple([Hello]), HelloAnswer),
  /** The answer names the turns that should be aborted, and those whose lease is lost. */
  heartbeat: command(
    z.tuple([Heartbeat]),
    z.object({ abort: z.array(TurnId), kill: z.array(TurnId) }),
  ),
  /** `storedSeq` is cumulative: all up to it is durable. `lost`: the lease is gone, kill it. */
  turnEvents: command(
    z.tuple([TurnEvents]),
    z.object({ storedSeq: count, lost: z.optional(z.boolean()) }),
  ),
  workOrderComplete: command(
    z.tuple([TurnId, z.boolean(), z.optional(z.string().check(z.maxLength(20_000)))]),
    done,
  ),
  getHistory: command(
    z.tuple([z.strictObject({ turnId: TurnId, cursor: z.string().check(z.maxLength(200)) })]),
    HistoryPage,
  ),
} satisfies Commands;

const requestId = z.string().check(z.minLength(8), z.maxLength(64));
const workspace = {
  source: WorkspaceSource,
  directory: z.optional(z.string()),
};

/** What the server may ask of a drone. */
export const serverOrders = {
  processWorkOrder: command(z.tuple([WorkOrder]), z.object({ accepted: z.boolean() })),
  abortWorkOrder: abortCommand(TurnId),
  finishWorkOrder: command(z.tuple([turn]), done),
  deliverMessage: command(
    z.tuple([
      z.object({
        turnId: TurnId,
        messageId: MessageId,
        text: z.string(),
        mode: MessageMode,
        by: Person,
      }),
    ]),
    done,
  ),
  answerQuestion: command(
    z.tuple([z.object({ turnId: TurnId, questionId: QuestionId, answer: z.string(), by: Person })]),
    done,
  ),
  answerApproval: command(
    z.tuple([
      z.object({
        turnId: TurnId,
        approvalId: ApprovalId,
        decision: ApprovalDecision,
        reason: z.optional(z.string()),
        by: Person,
      }),
    ]),
    done,
  ),
  cancelTool: command(z.tuple([z.object({ turnId: TurnId, callId: CallId })]), done),
  setApproval: command(z.tuple([z.object({ turnId: TurnId, approval: ApprovalMode })]), done),
  /** The lease is lost: kill the turn's work and write nothing more for it. */
  killWorkOrder: command(z.tuple([z.object({ turnId: TurnId, epoch: count })]), done),
  drain: command(z.tuple([z.object({ draining: z.boolean() })]), done),
  listFolders: command(z.tuple([z.object({ path: z.optional(z.string()) })]), FolderListing),
  readWorkspace: command(z.tuple([z.object({ ...workspace, path: z.string() })]), WorkspaceFile),
  findFiles: command(
    z.tuple([z.object({ ...workspace, requestId, wanted: z.string() })]),
    FoundFiles,
  ),
  describeWorkspace: command(z.tuple([z.object(workspace)]), Workspace),
  workspaceDiff: command(z.tuple([z.object({ ...workspace, requestId })]), WorkspaceDiff),
  /** Whoever asked has left: the request's work ends. */
  cancelRequest: command(z.tuple([z.object({ requestId })]), done),
  /** Answered when it has begun; how it goes is asked for. One that is there or under way stays. */
  startClone: command(z.tuple([z.object(workspace)]), ProjectClone),
  cloneState: command(z.tuple([z.object(workspace)]), ProjectClone),
  /** Answered when nothing of it is left. */
  cancelClone: command(z.tuple([z.object(workspace)]), ProjectClone),
  turnDiff: command(z.tuple([z.object({ ...workspace, turnId: TurnId })]), TurnDiff),
  undoTurn: command(
    z.tuple([z.object({ ...workspace, turnId: TurnId, preview: z.boolean() })]),
    UndoResult,
  ),
  listModels: command(
    z.tuple([z.object({ provider: ProviderAccess })]),
    z.object({ models: z.array(Model) }),
  ),
  /** With a model: also whether there is such a one. */
  testProvider: command(
    z.tuple([z.object({ provider: ProviderAccess, model: z.optional(z.string()) })]),
    z.extend(ProviderTest, {
      /** What it listed, if it answered. */
      models: z.optional(z.array(Model)),
    }),
  ),
  /** Those of one session, or of all. */
  listBackground: command(
    z.tuple([z.object({ sessionId: z.optional(SessionId) })]),
    z.object({ commands: z.array(BackgroundCommand) }),
  ),
  /**
   * One command of the session, or all of them. Answered when they are gone. A session that leaves
   * the drone takes with it what is kept for it there.
   */
  stopBackground: command(
    z.tuple([
      z.object({
        sessionId: SessionId,
        commandId: z.optional(CommandId),
        leaves: z.optional(z.boolean()),
      }),
    ]),
    z.object({ stopped: Stopped }),
  ),
} satisfies Commands;
