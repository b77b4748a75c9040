import { randomBytes, timingSafeEqual } from "node:crypto";
import type { StoredUser } from "../models/user.ts";
import type { Secret } from "../secret.ts";
import { cookieValue } from "./identity.ts";

const name = "gadget_browser";
const days = 400;

type Account = Pick<StoredUser, "_id" | "passwordHash">;

/**
 * A browser in which somebody has signed in to this account keeps a mark of it. It lets nobody in;
 * it only takes the browser out of the count of those that guess, so that no stranger can lock the
 * owner of the account out. Another password makes the marks of the old one worthless.
 */
export function knownBrowser(
  secret: Secret,
  account: Account | null,
  cookies: string | undefined,
): string | undefined {
  const [id, mark] = cookieValue(cookies, name)?.split(".", 2) ?? [];
  if (account === null || id === undefined || mark === undefined) {
    return undefined;
  }
  const expected = Buffer.from(markOf(secret, account, id));
  const given = Buffer.from(mark);
  const isKnown = given.length === expected.length && timingSafeEqual(given, expected);
  return isKnown ? id : undefined;
}

/** Only the routes that sign in are told of it. */
export function browserCookie(secret: Secret, account: Account, secure: boolean): string {
  const id = randomBytes(16).toString("base64url");
  const attributes = `Path=/api/v1/auth; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;
  return `${name}=${id}.${markOf(secret, account, id)}; ${attributes}; Max-Age=${days * 86_400}`;
}

function markOf(secret: Secret, { _id, passwordHash }: Account, id: string): string {
  return secret.sign(`${_id} ${id} ${passwordHash}`);
}
