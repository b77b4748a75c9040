import { type Cost, costOf } from "@gadget/api";
import type { SessionState } from "./session-state.ts";
import type { TurnEntry } from "./turn-entry.ts";

/** What a turn has cost so far; undefined: nobody entered a price for its model. */
export function turnCost({ turn, transcript }: TurnEntry): Cost | undefined {
  if (turn.price === undefined) {
    return undefined;
  }
  return costOf(transcript.usage ?? turn.usage, turn.price);
}

/** The server's sum of settled turns, and what has come since. */
export function sessionCost({ session, order, turns }: SessionState): Cost | undefined {
  const stored = session?.cost;
  // Without a sum yet, all turns that have a price are among the held ones.
  const through = stored === undefined ? -1 : order.indexOf(stored.throughTurnId);
  const isKnown = stored === undefined || through !== -1;
  let total: Cost | undefined = stored;
  for (const turnId of isKnown ? order.slice(through + 1) : []) {
    const entry = turns.get(turnId);
    const cost = entry && turnCost(entry);
    if (cost === undefined) {
      continue;
    }
    const estimated = total?.estimated === true || cost.estimated === true;
    total = { amount: (total?.amount ?? 0) + cost.amount, ...(estimated && { estimated }) };
  }
  return total;
}
