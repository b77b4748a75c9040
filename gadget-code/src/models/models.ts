import type { Connection } from "mongoose";
import { apiTokenModel } from "./api-token.ts";
import { auditModel } from "./audit-entry.ts";
import { sessionModel } from "./chat-session.ts";
import { turnModel } from "./chat-turn.ts";
import { droneModel } from "./drone.ts";
import { enrollmentModel } from "./enrollment.ts";
import { invitationModel } from "./invitation.ts";
import { leaseModel } from "./lease.ts";
import { loginModel } from "./login.ts";
import { projectModel } from "./project.ts";
import { providerModel } from "./provider.ts";
import { messageModel } from "./queued-message.ts";
import { settingModel } from "./setting.ts";
import { batchModel } from "./turn-events.ts";
import { userModel } from "./user.ts";

/** The collections of one connection, so that several servers can live in one process. */
export function openModels(connection: Connection) {
  return {
    users: userModel(connection),
    invitations: invitationModel(connection),
    logins: loginModel(connection),
    apiTokens: apiTokenModel(connection),
    providers: providerModel(connection),
    drones: droneModel(connection),
    enrollments: enrollmentModel(connection),
    projects: projectModel(connection),
    sessions: sessionModel(connection),
    turns: turnModel(connection),
    batches: batchModel(connection),
    messages: messageModel(connection),
    settings: settingModel(connection),
    leases: leaseModel(connection),
    audit: auditModel(connection),
  };
}

export type Models = ReturnType<typeof openModels>;

/** Resolves when every index exists: before that, no lock would hold. */
export async function ensureIndexes(models: Models): Promise<void> {
  await Promise.all(Object.values(models).map((model) => model.init()));
}
