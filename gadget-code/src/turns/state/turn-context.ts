import type { Logger } from "pino";
import type { DroneLine } from "../../drones/drone-line.ts";
import type { Models } from "../../models/models.ts";
import type { OtherNodes } from "../../nodes/other-nodes.ts";
import type { Secret } from "../../secret.ts";
import type { LiveTurns } from "./live-turns.ts";
import type { Publisher } from "./publisher.ts";

/** What the verbs of this folder work with; tests give their own clock, line or publisher. */
export interface TurnContext {
  models: Models;
  secret: Secret;
  live: LiveTurns;
  publish: Publisher;
  line: DroneLine;
  nodes: OtherNodes;
  log: Logger;
  graceMs: number;
  now(): Date;
  /** Milliseconds on a clock that is never set back. */
  elapsed(): number;
  wait(ms: number): Promise<void>;
}
