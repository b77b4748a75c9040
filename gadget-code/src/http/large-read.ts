import type { UserId } from "@gadget/api";
import type { Response } from "express";
import type { RateLimits } from "../people/rate-limits.ts";

/** Who takes nothing for so long is cut off: the answer waits in this server's memory. */
const idleMs = 60_000;

/**
 * Waits for a place among a person's large reads, which is given back when the reader has taken
 * the last byte or has left.
 */
export async function largeRead(
  { reads }: Pick<RateLimits, "reads">,
  user: UserId,
  res: Response,
): Promise<void> {
  const leave = await reads.enter(user);
  if (res.closed) {
    leave();
    return;
  }
  res.once("close", leave);
  res.setTimeout(idleMs, () => res.destroy());
}
