import type { DroneId, Project, ProjectId, ProviderId, UserId, WorkspaceSource } from "@gadget/api";
import { type Connection, Schema } from "mongoose";

export interface StoredProject {
  _id: ProjectId;
  owner: UserId;
  name: string;
  droneId: DroneId | null;
  /** The name of its drone, which was revoked. */
  lostDrone?: string;
  source: WorkspaceSource;
  directory?: string;
  providerId?: ProviderId;
  model?: string;
  environment: string[];
  createdAt: Date;
}

const schema = new Schema<StoredProject>(
  {
    _id: { type: String, required: true },
    owner: { type: String, required: true },
    name: { type: String, required: true },
    droneId: { type: String, default: null },
    lostDrone: String,
    source: { type: Schema.Types.Mixed, required: true },
    directory: String,
    providerId: String,
    model: String,
    environment: { type: [String], required: true },
    createdAt: { type: Date, required: true },
  },
  { versionKey: false },
);
// A person's list.
schema.index({ owner: 1, createdAt: -1, _id: -1 });

export function projectModel(connection: Connection) {
  return connection.model<StoredProject>("project", schema, "projects");
}

export function projectToWire(project: StoredProject): Project {
  const { _id, name, droneId, source, directory, providerId, model, environment } = project;
  return {
    id: _id,
    name,
    droneId,
    lostDrone: project.lostDrone,
    source,
    directory,
    providerId,
    model,
    environment,
    createdAt: project.createdAt.toISOString(),
  };
}

/** Where a drone finds the workspace; one that it makes itself is named for its project. */
export function workspaceOf({ _id, source, directory }: StoredProject) {
  return { source, directory: directory ?? (source.kind === "directory" ? source.directory : _id) };
}
