import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { link, mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

/** What is derived from the one secret key; the key itself is used for nothing else. */
export interface Secret {
  /** The same on every node, so that each can print the same set-up link. */
  setupCode(round: number): string;
  /** Lets the database remember which key it belongs to. */
  fingerprint: string;
  /** Proves that this server said so; see people/known-browser.ts. */
  sign(text: string): string;
  encrypt(text: string): string;
  decrypt(sealed: string): string;
}

/** The key of the environment, or the data folder's key file, made at the first start. */
export async function readSecretKey(
  fromEnvironment: Uint8Array | undefined,
  dataDir: string,
): Promise<Uint8Array> {
  if (fromEnvironment !== undefined) {
    return fromEnvironment;
  }
  const path = join(dataDir, "secret.key");
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  if (!existsSync(path)) {
    await makeKeyFile(path);
  }
  return readKeyFile(path);
}

/** Linked into place when it is complete: of nodes that start at once one wins, all read its key. */
async function makeKeyFile(path: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(randomBytes(32).toString("hex"));
    await file.sync();
    await link(draft, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) {
      throw error;
    }
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
}

async function readKeyFile(path: string): Promise<Uint8Array> {
  const key = Buffer.from((await readFile(path, "utf8")).trim(), "hex");
  if (key.length === 32) {
    return key;
  }
  throw new Error(`The key file ${path} is damaged. Restore it from a backup.`);
}

export function secretOf(key: Uint8Array): Secret {
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync("sha256", key, new Uint8Array(), `gadget ${purpose}`, 32));
  const sealing = derive("provider keys");
  const setup = derive("set-up");
  const signing = derive("known browsers");
  return {
    setupCode: (round) => createHmac("sha256", setup).update(String(round)).digest("base64url"),
    fingerprint: derive("fingerprint").toString("hex"),
    sign: (text) => createHmac("sha256", signing).update(text).digest("base64url"),
    encrypt(text) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", sealing, nonce);
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64");
    },
    decrypt(sealed) {
      const bytes = Buffer.from(sealed, "base64");
      const decipher = createDecipheriv("aes-256-gcm", sealing, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString(
        "utf8",
      );
    },
  };
}
