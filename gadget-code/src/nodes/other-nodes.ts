import type { DroneId, Person, TurnId } from "@gadget/api";

/** What one node tells the others; each is a hint that the database holds as well. */
export interface OtherNodes {
  /** Names this process. */
  readonly self: string;
  /** False: there are no others, and nothing has to be told. */
  readonly shared: boolean;
  /** Told together with the push to the drone, before the intent is stored (A5). */
  abortAsked(turnId: TurnId, by: Person, at: Date): void;
  /** Told before the drone, which may be connected there, is given it: people/relayed.ts. */
  wordSaid(word: string, by: Person): void;
  /** Nobody takes anything more for this turn. */
  turnEnded(turnId: TurnId): void;
  /** The drone said hello here: who still holds it lets go. */
  droneCame(droneId: DroneId): void;
  /** Something waits for a drone that is not connected here. */
  workWaits(droneId: DroneId): void;
}

export const noOtherNodes: OtherNodes = {
  self: "",
  shared: false,
  abortAsked() {},
  wordSaid() {},
  turnEnded() {},
  droneCame() {},
  workWaits() {},
};
