import type { ApprovalId } from "@gadget/api";
import type { HeldTurn } from "../turns/state/held-turn.ts";
import type { TurnContext } from "../turns/state/turn-context.ts";

/**
 * "In this session" allows what was asked for in later turns too; older drones name a prefix. A
 * drone's word is not enough: a person has decided it here, and it was asked for once.
 */
export async function allowInSession(
  { models, log }: TurnContext,
  { turnId, sessionId }: Pick<HeldTurn, "turnId" | "sessionId">,
  approvalId: ApprovalId,
): Promise<void> {
  const decided = await models.turns.exists({ _id: turnId, allowedByPerson: approvalId });
  const asked = { type: "approval:open", approvalId };
  const batches = await models.batches.find({ turnId, events: { $elemMatch: asked } }).lean();
  const asking = batches
    .flatMap(({ events }) => events)
    .filter((event) => event.type === "approval:open" && event.approvalId === approvalId);
  const [open] = asking;
  if (decided === null || asking.length !== 1 || open?.type !== "approval:open") {
    log.warn({ turnId, approvalId }, "a drone said more of an approval than a person did");
    return;
  }
  const { prefix, allowance = prefix === undefined ? [] : [prefix] } = open;
  if (allowance.length === 0) {
    return;
  }
  const allowed = { $each: allowance };
  await models.sessions.updateOne({ _id: sessionId }, { $addToSet: { allowed } });
}
