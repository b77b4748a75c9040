import * as z from "zod/mini";
import { DroneId, ProjectId, ProviderId } from "./id.ts";
import { Instant } from "./instant.ts";

/** How a workspace comes into being on its drone. */
export const WorkspaceSource = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("directory"), directory: z.string() }),
  z.object({ kind: z.literal("git"), gitUrl: z.string() }),
  z.object({ kind: z.literal("empty") }),
  z.object({ kind: z.literal("sample") }),
]);
export type WorkspaceSource = z.infer<typeof WorkspaceSource>;

/** Of a git project: whether its folder is on the drone, as the drone says. */
export const ProjectClone = z.object({
  state: z.enum(["missing", "cloning", "cloned", "failed"]),
  /** How far git is, in its own words. */
  progress: z.optional(z.string()),
  /** Why it failed. */
  problem: z.optional(z.string()),
});
export type ProjectClone = z.infer<typeof ProjectClone>;

export const Project = z.object({
  id: ProjectId,
  name: z.string(),
  droneId: z.nullable(DroneId),
  /** The name of its drone, which was revoked; another one has to be chosen. */
  lostDrone: z.optional(z.string()),
  source: WorkspaceSource,
  /** The folder on the drone, once it is known. */
  directory: z.optional(z.string()),
  /** The last choice, which new sessions start with. */
  providerId: z.optional(ProviderId),
  model: z.optional(z.string()),
  /** Names of environment variables that the shell may see beside the usual ones. */
  environment: z.array(z.string()),
  /** There where one project is asked for and its drone answers. */
  clone: z.optional(ProjectClone),
  createdAt: Instant,
});
export type Project = z.infer<typeof Project>;
