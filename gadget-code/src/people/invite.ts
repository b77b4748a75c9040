import { randomBytes } from "node:crypto";
import { InvitationId, newId, RefusalError, UserId } from "@gadget/api";
import { bearerHash } from "../bearer.ts";
import type { StoredInvitation } from "../models/invitation.ts";
import { isDuplicateKey } from "../models/is-duplicate-key.ts";
import type { Models } from "../models/models.ts";
import type { StoredUser } from "../models/user.ts";
import { hashPassword } from "./password.ts";

const validDays = 7;

const dead = () =>
  new RefusalError(
    "forbidden",
    "This invitation was used, revoked, or is too old. Ask the owner for a new one.",
  );

/** A one-time code for one address; a second invitation makes the first one's link dead. */
export async function invite(
  models: Models,
  address: string,
  invitedBy: string,
  now: Date,
): Promise<{ invitation: StoredInvitation; code: string }> {
  const email = address.toLowerCase();
  if ((await models.users.exists({ email })) !== null) {
    throw new RefusalError("conflict", "This person is a member already: they can sign in.");
  }
  const code = randomBytes(24).toString("base64url");
  const expiresAt = new Date(now.getTime() + validDays * 86_400_000);
  const invitation = await models.invitations
    .findOneAndUpdate(
      { email },
      {
        $set: { codeHash: bearerHash(code), expiresAt, invitedBy, createdAt: now },
        $setOnInsert: { _id: newId(InvitationId) },
      },
      { upsert: true, returnDocument: "after" },
    )
    .lean<StoredInvitation>();
  if (invitation === null) {
    throw new Error("an invitation was not stored");
  }
  return { invitation, code };
}

/** The invitation of a code that is still good. */
export async function openInvitation(
  models: Models,
  code: string,
  now: Date,
): Promise<StoredInvitation> {
  const open = { codeHash: bearerHash(code), expiresAt: { $gt: now } };
  const invitation = await models.invitations.findOne(open).lean<StoredInvitation>();
  if (invitation === null) {
    throw dead();
  }
  return invitation;
}

/** Trades the code for an account. The code is gone with its first use. */
export async function acceptInvitation(
  models: Models,
  { code, name, password }: { code: string; name: string; password: string },
  now: Date,
): Promise<StoredUser> {
  const open = { codeHash: bearerHash(code), expiresAt: { $gt: now } };
  // Before the password is hashed, which costs more than a guess should.
  await openInvitation(models, code, now);
  const passwordHash = await hashPassword(password);
  const invitation = await models.invitations.findOneAndDelete(open).lean<StoredInvitation>();
  if (invitation === null) {
    throw dead();
  }
  const { email } = invitation;
  const user: StoredUser = {
    _id: newId(UserId),
    email,
    name,
    role: "member",
    passwordHash,
    createdAt: now,
  };
  try {
    await models.users.create([user]);
  } catch (error) {
    if (!isDuplicateKey(error)) {
      throw error;
    }
    throw new RefusalError("conflict", "There is an account for this address. Sign in instead.");
  }
  return user;
}
