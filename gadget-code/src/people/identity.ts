import type { UserId } from "@gadget/api";
import type { Models } from "../models/models.ts";
import type { StoredUser } from "../models/user.ts";
import { bearerHash, newBearer } from "./bearer.ts";

export const cookieName = "gadget_session";
const loginDays = 30;

export interface Identity {
  user: StoredUser;
  via: "cookie" | "token";
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
    const stored = await models.apiTokens
      .findOneAndUpdate({ hash: bearerHash(token) }, { $set: { lastUsedAt: now } })
      .lean();
    return stored === null ? undefined : identityOf(models, stored.owner, "token");
  }
  const bearer = cookieValue(cookie);
  if (bearer === undefined) return undefined;
  const login = await models.logins
    .findOne({ _id: bearerHash(bearer), expiresAt: { $gt: now } })
    .lean();
  return login === null ? undefined : identityOf(models, login.userId, "cookie");
}

async function identityOf(
  models: Models,
  userId: UserId,
  via: Identity["via"],
): Promise<Identity | undefined> {
  const user = await models.users.findById(userId).lean<StoredUser>();
  return user === null ? undefined : { user, via };
}

export function cookieValue(header: string | undefined): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    const [name, value] = pair.trim().split("=", 2);
    if (name === cookieName && value) return value;
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

export async function signOut(models: Models, bearer: string | undefined): Promise<void> {
  if (bearer !== undefined) await models.logins.deleteOne({ _id: bearerHash(bearer) });
}

/** The cookie's attributes; Secure where the page is reached by https. */
export function sessionCookie(bearer: string | undefined, secure: boolean): string {
  const value = bearer === undefined ? "; Max-Age=0" : `; Max-Age=${loginDays * 86_400}`;
  return `${cookieName}=${bearer ?? ""}; Path=/; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}${value}`;
}
