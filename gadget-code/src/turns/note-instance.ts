import type { Hello } from "@gadget/api";
import { noteOnDrone } from "../drones/share.ts";
import type { StoredDrone } from "../models/drone.ts";
import { audit } from "../people/audit.ts";
import type { TurnContext } from "./state/turn-context.ts";

const keptInstances = 10;
/** Two drones that push each other out do it every few seconds: it is said once in this time. */
const quietMs = 3_600_000;

/**
 * One credential that is used by two processes: a stolen one, or a copied folder. A process that
 * starts again has a new instance; one that says hello after another did was there all the time.
 */
export async function noteInstance(
  context: TurnContext,
  before: StoredDrone,
  { instanceId, host }: Hello,
  address: string,
): Promise<void> {
  const { models } = context;
  const known = before.instances ?? [];
  const last = known.at(-1);
  if (last?.id === instanceId) {
    return;
  }
  const instances = [...known.filter(({ id }) => id !== instanceId), { id: instanceId, host }];
  await models.drones.updateOne(
    { _id: before._id },
    { $set: { instances: instances.slice(-keptInstances) } },
  );
  if (last === undefined) {
    return;
  }
  const isBack = known.some(({ id }) => id === instanceId);
  if (!isBack && last.host === host) {
    return;
  }
  const what = isBack
    ? `Two drones use this drone's credential: one on the host "${last.host}", one on "${host}" (${address}).`
    : `This drone's credential is used on another host: "${host}" (${address}); before it was "${last.host}".`;
  const text = `${what} If that was not you, revoke this drone and enrol it again: whoever has the credential gets its prompts and provider keys.`;
  const since = context.now().getTime() - quietMs;
  if (before.notices?.some((notice) => notice.text === text && notice.at.getTime() > since)) {
    return;
  }
  await noteOnDrone(models, before, text, context.now());
  const subject = before._id;
  audit(context, { action: "drone used twice", by: null, address, subject, detail: what });
}
