import type { ApprovalId } from "@gadget/api";
import type { LiveTurn } from "./live-turn.ts";
import type { TurnContext } from "./turn-context.ts";

/** "For this session" allows the prefix that was shown, in later turns too. */
export async function allowInSession(
  { models }: TurnContext,
  { turnId, sessionId }: Pick<LiveTurn, "turnId" | "sessionId">,
  approvalId: ApprovalId,
): Promise<void> {
  const asked = { type: "approval:open", approvalId };
  const batch = await models.batches.findOne({ turnId, events: { $elemMatch: asked } }).lean();
  for (const event of batch?.events ?? []) {
    if (event.type !== "approval:open" || event.approvalId !== approvalId) continue;
    if (event.prefix === undefined) continue;
    await models.sessions.updateOne({ _id: sessionId }, { $addToSet: { allowed: event.prefix } });
  }
}
