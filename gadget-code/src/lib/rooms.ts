import type { DroneId, SessionId, UserId } from "@gadget/api";

/** Who hears what: a person's tabs, a session's tabs, and a drone, wherever it is connected. */
export const userRoom = (userId: UserId): string => `user:${userId}`;
export const sessionRoom = (sessionId: SessionId): string => `session:${sessionId}`;
export const droneRoom = (droneId: DroneId): string => `drone:${droneId}`;
/** What came in with one sign-in or token. */
export const credentialRoom = (credential: string): string => `credential:${credential}`;
