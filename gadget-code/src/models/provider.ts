import type {
  ModelPrice,
  Provider,
  ProviderAccess,
  ProviderId,
  ProviderKind,
  UserId,
} from "@gadget/api";
import { type Connection, Schema } from "mongoose";
import type { Secret } from "../secret.ts";

export interface StoredProvider {
  _id: ProviderId;
  owner: UserId;
  name: string;
  kind: ProviderKind;
  baseUrl?: string;
  /** Encrypted with the secret key. */
  sealedKey?: string;
  defaultModel?: string;
  prices?: ModelPrice[];
  shared: boolean;
  createdAt: Date;
}

const schema = new Schema<StoredProvider>(
  {
    _id: { type: String, required: true },
    owner: { type: String, required: true },
    name: { type: String, required: true },
    kind: { type: String, required: true },
    baseUrl: String,
    sealedKey: String,
    defaultModel: String,
    prices: { type: Schema.Types.Mixed },
    shared: { type: Boolean, required: true },
    createdAt: { type: Date, required: true },
  },
  { versionKey: false },
);
// A person's list: their own.
schema.index({ owner: 1, createdAt: 1 });
// ... and the shared ones.
schema.index({ shared: 1 });

export function providerModel(connection: Connection) {
  return connection.model<StoredProvider>("provider", schema, "providers");
}

export function providerToWire(provider: StoredProvider, viewer: UserId): Provider {
  const { _id, name, kind, baseUrl, sealedKey, defaultModel, prices, shared, createdAt } = provider;
  return {
    id: _id,
    name,
    kind,
    baseUrl,
    hasKey: sealedKey !== undefined,
    defaultModel,
    prices,
    shared,
    mine: provider.owner === viewer,
    createdAt: createdAt.toISOString(),
  };
}

/** With the key in the clear: only ever put into a message to a drone. */
export function providerAccess(provider: StoredProvider, secret: Secret): ProviderAccess {
  const { kind, baseUrl, sealedKey } = provider;
  return {
    kind,
    baseUrl,
    apiKey: sealedKey === undefined ? undefined : secret.decrypt(sealedKey),
  };
}
