import type { TokenId, UserId } from "@gadget/api";
import { bearerHash, newBearer } from "../bearer.ts";
import type { StoredApiToken } from "../models/api-token.ts";
import type { Models } from "../models/models.ts";
import type { StoredUser } from "../models/user.ts";

export const cookieName = "gadget_session";
const loginDays = 30;

export interface Identity {
  user: StoredUser;
  via: "cookie" | "token";
  /** Names the sign-in or token, so that what came in with it can be closed; no secret. */
  credential: string;
  /** By cookie: when the browser signed in. */
  signedInAt?: Date;
}

interface Credentials {
  cookie: string | undefined;
  authorization: string | undefined;
}

/** Who asks: by bearer token, else by the session cookie; undefined where neither is good. */
export async function identify(
  models: Models,
  { cookie, authorization }: Credentials,
  now: Date,
): Promise<Identity | undefined> {
  const token = /^Bearer (\S+)$/i.exec(authorization ?? "")?.[1];
  if (token !== undefined) {
    const stored = await models.apiTokens.findOne({ hash: bearerHash(token) }).lean();
    if (stored === null) {
      return undefined;
    }
    noteUse(models, stored, now);
    return identityOf(models, stored.owner, "token", tokenCredential(stored._id));
  }
  const bearer = cookieValue(cookie);
  if (bearer === undefined) {
    return undefined;
  }
  const _id = bearerHash(bearer);
  const login = await models.logins.findOne({ _id, expiresAt: { $gt: now } }).lean();
  if (login === null) {
    return undefined;
  }
  const identity = await identityOf(models, login.userId, "cookie", loginCredential(_id));
  return identity && { ...identity, signedInAt: login.createdAt };
}

export const tokenCredential = (tokenId: TokenId): string => `token:${tokenId}`;
export const loginCredential = (hash: string): string => `login:${hash}`;

/** To the minute is exact enough: no request, above all no cancel, waits for this write (A14). */
function noteUse(models: Models, { _id, lastUsedAt }: StoredApiToken, now: Date): void {
  if (lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < 60_000) {
    return;
  }
  models.apiTokens.updateOne({ _id }, { $set: { lastUsedAt: now } }).catch(() => {});
}

async function identityOf(
  models: Models,
  userId: UserId,
  via: Identity["via"],
  credential: string,
): Promise<Identity | undefined> {
  const user = await models.users.findById(userId).lean<StoredUser>();
  return user === null ? undefined : { user, via, credential };
}

export function cookieValue(
  header: string | undefined,
  wanted: string = cookieName,
): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    const [name, value] = pair.trim().split("=", 2);
    if (name === wanted && value) {
      return value;
    }
  }
  return undefined;
}

/** A new secret with every sign-in: a cookie from before is never taken over. */
export async function signIn(models: Models, userId: UserId, now: Date): Promise<string> {
  const bearer = newBearer("s");
  const expiresAt = new Date(now.getTime() + loginDays * 86_400_000);
  await models.logins.create([{ _id: bearerHash(bearer), userId, createdAt: now, expiresAt }]);
  return bearer;
}

/** Ends a sign-in; gives its credential, so that its open tabs can be closed. */
export async function signOut(
  models: Models,
  bearer: string | undefined,
): Promise<string | undefined> {
  if (bearer === undefined) {
    return undefined;
  }
  const _id = bearerHash(bearer);
  await models.logins.deleteOne({ _id });
  return loginCredential(_id);
}

/** The cookie's attributes; Secure where the page is reached by https. */
export function sessionCookie(bearer: string | undefined, secure: boolean): string {
  const value = bearer === undefined ? "; Max-Age=0" : `; Max-Age=${loginDays * 86_400}`;
  return `${cookieName}=${bearer ?? ""}; Path=/; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}${value}`;
}
