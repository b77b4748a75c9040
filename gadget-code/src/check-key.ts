import { ConfigError } from "./config.ts";
import type { Models } from "./models/models.ts";
import type { Secret } from "./secret.ts";

/** The database remembers which key it belongs to: with another one no stored key can be read. */
export async function checkKey(models: Models, { fingerprint }: Secret): Promise<void> {
  const _id = "keyFingerprint";
  await models.settings.updateOne(
    { _id },
    { $setOnInsert: { value: fingerprint } },
    { upsert: true },
  );
  const stored = await models.settings.findById(_id).lean();
  if (stored?.value !== fingerprint) {
    throw new ConfigError(
      "The secret key is not the one that this database belongs to. Restore the file secret.key of the data folder, or set GADGET_SECRET_KEY to the key that was used before.",
    );
  }
}
