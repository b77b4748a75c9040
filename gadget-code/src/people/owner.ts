import { timingSafeEqual } from "node:crypto";
import { newId, RefusalError, UserId } from "@gadget/api";
import { isDuplicateKey } from "../models/is-duplicate-key.ts";
import type { Models } from "../models/models.ts";
import type { StoredUser } from "../models/user.ts";
import type { Secret } from "../secret.ts";
import { endCredentials } from "./end-credentials.ts";
import { hashPassword } from "./password.ts";

export async function hasOwner(models: Models): Promise<boolean> {
  return (await models.users.exists({ role: "owner" })) !== null;
}

/** The round of the set-up link: `--reset-owner` starts a new one, and the old link is dead. */
export async function setupRound(models: Models): Promise<number> {
  const stored = await models.settings.findById("setupRound").lean();
  return Number(stored?.value ?? 0);
}

export async function nextSetupRound(models: Models): Promise<void> {
  const value = (await setupRound(models)) + 1;
  await models.settings.updateOne({ _id: "setupRound" }, { $set: { value } }, { upsert: true });
  await models.settings.updateOne({ _id: "resetOwner" }, { $set: { value } }, { upsert: true });
}

/** Whether the set-up link is alive: nobody owns this server, or its owner is to be reset. */
export async function setupOpen(models: Models): Promise<boolean> {
  if (!(await hasOwner(models))) {
    return true;
  }
  const reset = await models.settings.findById("resetOwner").lean();
  return Number(reset?.value ?? 0) > 0;
}

export interface Account {
  email: string;
  name: string;
  password: string;
}

/**
 * Creates the owner, or, after a reset, gives the one there is a new address and password. The
 * reset is used up first, so that of two who come at once only one gets the account.
 */
export async function createOwner(
  models: Models,
  { email, name, password }: Account,
  now: Date,
): Promise<StoredUser> {
  const passwordHash = await hashPassword(password);
  const account = { email: email.toLowerCase(), name, passwordHash };
  const reset = await models.settings.findOneAndDelete({ _id: "resetOwner" }).lean();
  const old = reset === null ? null : await replaceOwner(models, account);
  if (old !== null) {
    return old;
  }
  const owner: StoredUser = {
    _id: newId(UserId),
    role: "owner",
    founder: true,
    createdAt: now,
    ...account,
  };
  try {
    await models.users.create([owner]);
  } catch (error) {
    if (isDuplicateKey(error)) {
      throw new RefusalError("owner_exists");
    }
    throw error;
  }
  return owner;
}

/** Undefined: there is an owner already, perhaps made by another node a moment ago. */
export async function firstOwner(
  models: Models,
  account: Account,
  now: Date,
): Promise<StoredUser | undefined> {
  if (await hasOwner(models)) {
    return undefined;
  }
  try {
    return await createOwner(models, account, now);
  } catch (error) {
    if (error instanceof RefusalError && error.code === "owner_exists") {
      return undefined;
    }
    throw error;
  }
}

async function replaceOwner(
  models: Models,
  account: Pick<StoredUser, "email" | "name" | "passwordHash">,
): Promise<StoredUser | null> {
  const owner = await models.users
    .findOneAndUpdate(
      { role: "owner" },
      { $set: account },
      { returnDocument: "after", sort: { createdAt: 1 } },
    )
    .lean<StoredUser>();
  if (owner !== null) {
    await endCredentials(models, owner._id);
  }
  return owner;
}

export async function setUp(
  models: Models,
  secret: Secret,
  code: string,
  account: Account,
  now: Date,
): Promise<StoredUser> {
  if (!(await setupOpen(models))) {
    throw new RefusalError("owner_exists");
  }
  const expected = Buffer.from(secret.setupCode(await setupRound(models)));
  const given = Buffer.from(code);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new RefusalError(
      "forbidden",
      "The set-up link is not valid any more. Use the one that the server printed last.",
    );
  }
  return createOwner(models, account, now);
}
