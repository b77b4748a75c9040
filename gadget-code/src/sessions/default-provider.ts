import type { UserId } from "@gadget/api";
import type { Models } from "../models/models.ts";
import type { StoredProvider } from "../models/provider.ts";
import { usableBy } from "../people/owned.ts";

/** The newest one whose latest test did not fail; the demo only where there is no other. */
export async function defaultProvider(
  models: Models,
  user: UserId,
): Promise<StoredProvider | undefined> {
  const usable = await models.providers
    .find(usableBy<StoredProvider>(user))
    .sort({ createdAt: -1, _id: -1 })
    .lean<StoredProvider[]>();
  const ready = usable.find(({ kind, lastTest }) => kind !== "demo" && lastTest?.ok !== false);
  return ready ?? usable.find(({ kind }) => kind === "demo") ?? usable[0];
}
