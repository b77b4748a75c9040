import type { TurnEvent, TurnId } from "@gadget/api";
import type { Client } from "../client.ts";
import { everyItem } from "../find/every-item.ts";

/** The stored events of a turn after a number, all of them. */
export function readEvents(
  client: Client,
  turnId: TurnId,
  after: number,
  signal: AbortSignal,
): Promise<TurnEvent[]> {
  return everyItem((cursor) =>
    client.request("listEvents", { params: { id: turnId }, query: { after, ...cursor }, signal }),
  );
}
