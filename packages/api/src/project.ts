import * as z from "zod/mini";
import { DroneId, ProjectId, ProviderId } from "./id.ts";
import { Instant } from "./time.ts";

/** How a workspace comes into being on its drone. */
export const WorkspaceSource = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("directory"), directory: z.string() }),
  z.object({ kind: z.literal("git"), gitUrl: z.string() }),
  z.object({ kind: z.literal("empty") }),
  z.object({ kind: z.literal("sample") }),
]);
export type WorkspaceSource = z.infer<typeof WorkspaceSource>;

export const Project = z.object({
  id: ProjectId,
  name: z.string(),
  droneId: z.nullable(DroneId),
  source: WorkspaceSource,
  /** The folder on the drone, once it is known. */
  directory: z.optional(z.string()),
  /** The last choice, which new sessions start with. */
  providerId: z.optional(ProviderId),
  model: z.optional(z.string()),
  /** Names of environment variables that the shell may see beside the usual ones. */
  environment: z.array(z.string()),
  createdAt: Instant,
});
export type Project = z.infer<typeof Project>;
