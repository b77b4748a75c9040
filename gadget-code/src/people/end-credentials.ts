import type { UserId } from "@gadget/api";
import type { Models } from "../models/models.ts";
import { loginCredential, tokenCredential } from "./identity.ts";

export interface Revoked {
  tokens: number;
  enrollments: number;
}

/** Whoever knew the old password may have made any of these: only what is used right now stays. */
export async function endCredentials(
  models: Models,
  userId: UserId,
  { except, keepTokens = false }: { except?: string; keepTokens?: boolean | undefined } = {},
): Promise<Revoked> {
  const logins = await models.logins.find({ userId }, { _id: 1 }).lean();
  const others = logins.map(({ _id }) => _id).filter((id) => loginCredential(id) !== except);
  await models.logins.deleteMany({ _id: { $in: others } });
  if (keepTokens) {
    return { tokens: 0, enrollments: 0 };
  }
  const made = await models.apiTokens.find({ owner: userId }, { _id: 1 }).lean();
  const tokens = made.map(({ _id }) => _id).filter((id) => tokenCredential(id) !== except);
  const [ended, codes] = await Promise.all([
    models.apiTokens.deleteMany({ _id: { $in: tokens } }),
    models.enrollments.deleteMany({ owner: userId }),
  ]);
  return { tokens: ended.deletedCount, enrollments: codes.deletedCount };
}
