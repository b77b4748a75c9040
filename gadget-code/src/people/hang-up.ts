import type { DroneId, UserId } from "@gadget/api";

/** Closes connections whose right to be there has ended, on whatever node they are. */
export interface HangUp {
  /** All of a person's tabs, but those of the credential that may stay. */
  person(userId: UserId, except?: string): void;
  /** What came in with this sign-in or token (`Identity.credential`). */
  credential(credential: string): void;
  drone(droneId: DroneId): void;
}
