import { RefusalError } from "@gadget/api";

/** The embedded database's code, and MongoDB's. */
const outOfDiskSpace = 14031;

export const diskFull =
  "The server's disk is full: nothing more is kept until there is room. Ask whoever runs the server to make room, then try again.";

export function isOutOfRoom(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === outOfDiskSpace;
}

/** What a person is told of a failure of the database; undefined: it is none that they can mend. */
export function databaseRefusal(error: unknown): RefusalError | undefined {
  return isOutOfRoom(error) ? new RefusalError("unavailable", diskFull) : undefined;
}
