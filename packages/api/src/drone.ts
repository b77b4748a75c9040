import * as z from "zod/mini";
import { Person, WaitingFor } from "./chat-turn.ts";
import { CommandId, DroneId, SessionId, TurnId } from "./id.ts";
import { Instant } from "./time.ts";
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

/** A command that outlives its turn; it belongs to the session and can be stopped. */
export const BackgroundCommand = z.object({
  id: CommandId,
  sessionId: SessionId,
  turnId: TurnId,
  command: z.string(),
  startedAt: Instant,
});
export type BackgroundCommand = z.infer<typeof BackgroundCommand>;
