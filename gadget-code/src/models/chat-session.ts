import type {
  ApprovalMode,
  ChatSession,
  DroneId,
  ProjectId,
  ProviderId,
  SessionId,
  TurnId,
  TurnStatus,
  UserId,
} from "@gadget/api";
import { type Connection, Schema } from "mongoose";

export interface StoredSession {
  _id: SessionId;
  owner: UserId;
  projectId: ProjectId;
  droneId: DroneId | null;
  title: string;
  /** A title that the first prompt gave may be replaced by it; one by a person never. */
  titled: boolean;
  providerId: ProviderId | null;
  model: string | null;
  approval: ApprovalMode;
  /** What was allowed for this session, in the words of the drone that asked. */
  allowed: string[];
  lastTurn?: { id: TurnId; status: TurnStatus; waitingFor?: string | undefined };
  cost?: NonNullable<ChatSession["cost"]>;
  compacted?: { summary: string; throughTurnId: TurnId; throughStep?: number | undefined };
  archived?: boolean;
  createdAt: Date;
  updatedAt: Date;
}

const schema = new Schema<StoredSession>(
  {
    _id: { type: String, required: true },
    owner: { type: String, required: true },
    projectId: { type: String, required: true },
    droneId: { type: String, default: null },
    title: { type: String, required: true },
    titled: { type: Boolean, required: true },
    providerId: { type: String, default: null },
    model: { type: String, default: null },
    approval: { type: String, required: true },
    allowed: { type: [String], required: true },
    lastTurn: Schema.Types.Mixed,
    cost: Schema.Types.Mixed,
    compacted: Schema.Types.Mixed,
    archived: Boolean,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { versionKey: false },
);
// A person's sessions, the latest first.
schema.index({ owner: 1, updatedAt: -1, _id: -1 });
// ... and a project's.
schema.index({ projectId: 1, updatedAt: -1, _id: -1 });

export function sessionModel(connection: Connection) {
  return connection.model<StoredSession>("chatSession", schema, "chatSessions");
}

export function sessionToWire(session: StoredSession): ChatSession {
  const { _id, projectId, droneId, title, providerId, model, approval, lastTurn } = session;
  return {
    id: _id,
    projectId,
    droneId,
    title,
    providerId,
    model,
    approval,
    lastTurn,
    cost: session.cost,
    ...(session.archived === true && { archived: true }),
    createdAt: session.createdAt.toISOString(),
    updatedAt: session.updatedAt.toISOString(),
  };
}
