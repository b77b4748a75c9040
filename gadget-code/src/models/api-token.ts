import type { ApiToken, TokenId, UserId } from "@gadget/api";
import { type Connection, Schema } from "mongoose";

export interface StoredApiToken {
  _id: TokenId;
  owner: UserId;
  name: string;
  hash: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

const schema = new Schema<StoredApiToken>(
  {
    _id: { type: String, required: true },
    owner: { type: String, required: true },
    name: { type: String, required: true },
    hash: { type: String, required: true },
    createdAt: { type: Date, required: true },
    lastUsedAt: { type: Date, default: null },
  },
  { versionKey: false },
);
// Every request with a token looks it up by its hash.
schema.index({ hash: 1 }, { unique: true });
schema.index({ owner: 1, createdAt: -1 });

export function apiTokenModel(connection: Connection) {
  return connection.model<StoredApiToken>("apiToken", schema, "apiTokens");
}

export function apiTokenToWire({ _id, name, createdAt, lastUsedAt }: StoredApiToken): ApiToken {
  return {
    id: _id,
    name,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
