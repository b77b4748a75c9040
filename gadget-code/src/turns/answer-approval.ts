import type { UserId } from "@gadget/api";
import type { OrderArgs } from "../drones/drone-line.ts";
import type { TurnContext } from "./state/turn-context.ts";
import { tellTurn } from "./tell-turn.ts";

/** A person's decision. What allows more than this call is kept first: a drone can't say it alone. */
export async function answerApproval(
  context: TurnContext,
  owner: UserId,
  given: OrderArgs<"answerApproval">[0],
): Promise<void> {
  const { turnId, approvalId, decision } = given;
  if (decision === "session") {
    await context.models.turns.updateOne(
      { _id: turnId, owner, unsettled: true },
      { $addToSet: { allowedByPerson: approvalId } },
    );
  }
  await tellTurn(context, owner, turnId, "answerApproval", [given]);
}
