import { createHash, randomBytes } from "node:crypto";

/** A secret that is shown once: 256 random bits. Only its hash is stored. */
export function newBearer(prefix: string): string {
  return `${prefix}_${randomBytes(32).toString("base64url")}`;
}

/** A plain hash is enough: the secret is random, so there is nothing to guess. */
export function bearerHash(bearer: string): string {
  return createHash("sha256").update(bearer).digest("base64url");
}
