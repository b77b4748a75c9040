import { isSettled, RefusalError, type TurnId, type UserId } from "@gadget/api";
import type { OrderAnswer, OrderArgs, OrderName } from "../drones/drone-line.ts";
import type { StoredTurn } from "../models/chat-turn.ts";
import { ownedBy } from "../people/owned.ts";
import type { TurnContext } from "./state/turn-context.ts";

const tellMs = 10_000;

/** What is said to a running turn goes to the drone that holds its lease, never to another. */
export async function tellTurn<Name extends OrderName>(
  context: TurnContext,
  owner: UserId,
  turnId: TurnId,
  name: Name,
  args: OrderArgs<Name>,
): Promise<OrderAnswer<Name>> {
  const turn = await context.models.turns.findOne({ _id: turnId, owner }).lean<StoredTurn>();
  if (turn === null) {
    throw new RefusalError("not_found", "There is no such turn.");
  }
  const droneId = turn.lease?.droneId;
  if (isSettled(turn.status) || droneId === undefined) {
    throw new RefusalError("closed", `The turn is ${turn.status}.`, { status: turn.status });
  }
  await ownedBy(context.models, owner).reachable(droneId);
  return context.line.order(droneId, name, args, tellMs);
}
