import * as z from "zod/mini";
import { Person, WaitingFor } from "./chat-turn.ts";
import { CommandId, DroneId, SessionId, TurnId } from "./id.ts";
import { Instant } from "./instant.ts";
import { TurnStatus } from "./turn.ts";

/** By heartbeats alone: online under 15 s, stale under 30 s, then offline. */
export const DroneStatus = z.enum(["online", "busy", "draining", "stale", "offline"]);
export type DroneStatus = z.infer<typeof DroneStatus>;

/** What the machine can and can't do; the page says so where it matters. */
export const DroneAbilities = z.object({
  git: z.boolean(),
  ripgrep: z.boolean(),
  /** subreaper: nothing survives an abort · best-effort: process groups and a cookie. */
  supervisor: z.enum(["subreaper", "best-effort"]),
  platform: z.string(),
  /** Whether it can summarise a session when asked. */
  compacts: z.optional(z.boolean()),
});
export type DroneAbilities = z.infer<typeof DroneAbilities>;

export const Drone = z.object({
  id: DroneId,
  name: z.string(),
  status: DroneStatus,
  host: z.string(),
  version: z.string(),
  labels: z.array(z.string()),
  running: z.int(),
  capacity: z.int(),
  lastSeenAt: z.nullable(Instant),
  /** How long the turns of a drone that is not heard can go on; then they are interrupted. */
  graceEndsAt: z.optional(Instant),
  shared: z.boolean(),
  mine: z.boolean(),
  protocol: z.optional(z.int()),
  rttMs: z.optional(z.number()),
  abilities: z.optional(DroneAbilities),
  roots: z.optional(z.array(z.string())),
  /** Runs as the server's own user: it can't be shared. */
  local: z.optional(z.boolean()),
  /** What its owner should know and has not marked as seen; for the owner only. */
  notices: z.optional(z.array(z.object({ at: Instant, text: z.string() }))),
});
export type Drone = z.infer<typeof Drone>;

/** A turn that runs on a drone, as the drone's owner may see it: whose it is, not what it says. */
export const DroneTurn = z.object({
  id: TurnId,
  by: Person,
  status: TurnStatus,
  waitingFor: z.optional(WaitingFor),
  createdAt: Instant,
  startedAt: z.optional(Instant),
  abortRequestedAt: z.optional(Instant),
  /** There where the turn is the viewer's own. */
  own: z.optional(z.object({ sessionId: SessionId, prompt: z.string() })),
});
export type DroneTurn = z.infer<typeof DroneTurn>;

/** What hangs on a drone: what loses its place when the drone is revoked. */
export const DroneUse = z.object({
  /** The names of one's own projects there. */
  projects: z.array(z.string()),
  /** How many projects of other people. */
  othersProjects: z.int(),
  sessions: z.int(),
  /** Turns that run there or wait for it. */
  turns: z.int(),
});
export type DroneUse = z.infer<typeof DroneUse>;

/** A background command on a drone, as the drone's owner may see it: whose it is, not what it does. */
export const DroneCommand = z.object({
  id: CommandId,
  by: Person,
  startedAt: Instant,
  /** There where the command is the viewer's own. */
  own: z.optional(z.object({ sessionId: SessionId, command: z.string() })),
});
export type DroneCommand = z.infer<typeof DroneCommand>;

/** A command that outlives its turn; it belongs to the session and can be stopped. */
export const BackgroundCommand = z.object({
  id: CommandId,
  sessionId: SessionId,
  turnId: TurnId,
  command: z.string(),
  startedAt: Instant,
});
export type BackgroundCommand = z.infer<typeof BackgroundCommand>;
