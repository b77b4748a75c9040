import { isDuplicateKey } from "../models/is-duplicate-key.ts";
import type { Models } from "../models/models.ts";
import type { OtherNodes } from "./other-nodes.ts";

interface SweepContext {
  models: Pick<Models, "leases">;
  nodes: OtherNodes;
  now(): Date;
}

/** True: this node sweeps now, and no other one does until the time has passed. */
export async function takeSweep(context: SweepContext, forMs: number): Promise<boolean> {
  const { models, nodes } = context;
  if (!nodes.shared) {
    return true;
  }
  const at = context.now();
  try {
    await models.leases.updateOne(
      { _id: "sweep", $or: [{ holder: nodes.self }, { until: { $lt: at } }] },
      { $set: { holder: nodes.self, until: new Date(at.getTime() + forMs) } },
      { upsert: true },
    );
    return true;
  } catch (error) {
    // Somebody else holds it: the filter found nothing, and the insert met their document.
    if (isDuplicateKey(error)) {
      return false;
    }
    throw error;
  }
}

/** A node that stops lets the next one sweep at once. */
export async function leaveSweep({ models, nodes }: SweepContext): Promise<void> {
  if (nodes.shared) {
    await models.leases.deleteOne({ _id: "sweep", holder: nodes.self });
  }
}
