import type {
  ApprovalId,
  ChatTurn,
  DroneId,
  FileChange,
  InstanceId,
  Person,
  Price,
  ProjectId,
  SessionId,
  Stopped,
  TurnId,
  TurnStatus,
  Usage,
  UserId,
  WaitingFor,
} from "@gadget/api";
import { type Connection, Schema } from "mongoose";

export interface StoredTurn {
  _id: TurnId;
  owner: UserId;
  sessionId: SessionId;
  projectId: ProjectId;
  droneId: DroneId | null;
  prompt: string;
  continues?: TurnId;
  kind?: "compact";
  runAnyway?: boolean;
  status: TurnStatus;
  /** There while the turn is not settled: the partial unique index on it is the session's lock. */
  unsettled?: true;
  waitingFor?: WaitingFor;
  errorMessage?: string;
  abortRequestedAt?: Date;
  abortedBy?: Person;
  createdAt: Date;
  startedAt?: Date;
  settledAt?: Date;
  usage: Usage;
  price?: Price;
  filesChanged: FileChange[];
  undone?: true;
  stopped?: Stopped;
  /** The lease's fencing number: raised with every claim and by Force stop. */
  epoch: number;
  lease?: { droneId: DroneId; instanceId: InstanceId };
  /** Approvals that a person gave for the whole session. */
  allowedByPerson?: ApprovalId[];
  /** There while the terminal event is not yet in the log: a restart appends it. */
  unlogged?: true;
}

const schema = new Schema<StoredTurn>(
  {
    _id: { type: String, required: true },
    owner: { type: String, required: true },
    sessionId: { type: String, required: true },
    projectId: { type: String, required: true },
    droneId: { type: String, default: null },
    prompt: { type: String, default: "" },
    continues: String,
    kind: String,
    runAnyway: Boolean,
    status: { type: String, required: true },
    unsettled: Boolean,
    waitingFor: String,
    errorMessage: String,
    abortRequestedAt: Date,
    abortedBy: Schema.Types.Mixed,
    createdAt: { type: Date, required: true },
    startedAt: Date,
    settledAt: Date,
    usage: { type: Schema.Types.Mixed, required: true },
    price: Schema.Types.Mixed,
    filesChanged: { type: Schema.Types.Mixed, required: true },
    undone: Boolean,
    stopped: Schema.Types.Mixed,
    epoch: { type: Number, required: true },
    lease: Schema.Types.Mixed,
    allowedByPerson: { type: [String], default: undefined },
    unlogged: Boolean,
  },
  { versionKey: false, minimize: false },
);
// One unsettled turn a session: this index is the lock.
schema.index(
  { sessionId: 1 },
  { unique: true, partialFilterExpression: { unsettled: true }, name: "one_unsettled_turn" },
);
// A session's turns, newest first.
schema.index({ sessionId: 1, createdAt: -1, _id: -1 });
// A person's turns, newest first, and by status.
schema.index({ owner: 1, createdAt: -1, _id: -1 });
// Dispatch: the oldest that waits for a drone; recovery: all that a drone holds.
schema.index({ droneId: 1, status: 1, createdAt: 1 });
// Whether somebody writes in a workspace; which turns a drone's lease holds.
schema.index(
  { projectId: 1, status: 1 },
  { partialFilterExpression: { unsettled: true }, name: "unsettled_of_project" },
);
schema.index(
  { "lease.droneId": 1 },
  { partialFilterExpression: { unsettled: true }, name: "unsettled_of_lease" },
);
// The sweep: few are unsettled or unlogged, so these stay small.
schema.index({ status: 1 }, { partialFilterExpression: { unsettled: true }, name: "unsettled" });
schema.index({ unlogged: 1 }, { partialFilterExpression: { unlogged: true } });

export function turnModel(connection: Connection) {
  return connection.model<StoredTurn>("turn", schema, "turns");
}

export function turnToWire(turn: StoredTurn): ChatTurn {
  return {
    id: turn._id,
    sessionId: turn.sessionId,
    projectId: turn.projectId,
    droneId: turn.droneId,
    prompt: turn.prompt,
    continues: turn.continues,
    kind: turn.kind,
    status: turn.status,
    waitingFor: turn.waitingFor,
    errorMessage: turn.errorMessage,
    abortRequestedAt: turn.abortRequestedAt?.toISOString(),
    abortedBy: turn.abortedBy,
    createdAt: turn.createdAt.toISOString(),
    startedAt: turn.startedAt?.toISOString(),
    settledAt: turn.settledAt?.toISOString(),
    usage: turn.usage,
    price: turn.price,
    filesChanged: turn.filesChanged,
    undone: turn.undone,
    stopped: turn.stopped,
  };
}

/** A drone's owner may end what runs on it, which is no reason to read another one's turn. */
export function turnShownTo(turn: StoredTurn, viewer: UserId): ChatTurn {
  const shown = turnToWire(turn);
  return turn.owner === viewer ? shown : { ...shown, prompt: "", filesChanged: [] };
}
