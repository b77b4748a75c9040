import {
  contextWindowOf,
  type ModelContext,
  type ModelPrice,
  type Provider,
  type ProviderAccess,
  type ProviderId,
  type ProviderKind,
  type ProviderTest,
  type ReasoningEffort,
  type UserId,
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
  lastTest?: ProviderTest;
  /** The names of its models, as it listed them the last time. */
  listedModels?: string[];
  contextWindow?: number;
  contextWindows?: ModelContext[];
  reasoningEffort?: ReasoningEffort;
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
    lastTest: { type: Schema.Types.Mixed },
    listedModels: { type: [String], default: undefined },
    contextWindow: Number,
    contextWindows: { type: Schema.Types.Mixed },
    reasoningEffort: String,
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
  const { _id, name, kind, baseUrl, sealedKey, defaultModel, prices, contextWindow } = provider;
  return {
    id: _id,
    name,
    kind,
    baseUrl,
    hasKey: sealedKey !== undefined,
    defaultModel,
    prices,
    ...(provider.owner === viewer && { lastTest: provider.lastTest }),
    contextWindow,
    contextWindows: provider.contextWindows,
    reasoningEffort: provider.reasoningEffort,
    shared: provider.shared,
    mine: provider.owner === viewer,
    createdAt: provider.createdAt.toISOString(),
  };
}

const demoModel = "demo";

/** Whether the provider may have this model; one that never listed any may have every one. */
export function mayHaveModel(
  { kind, defaultModel, listedModels }: StoredProvider,
  model: string,
): boolean {
  if (kind === "demo" || model === defaultModel) {
    return true;
  }
  return listedModels === undefined ? model !== demoModel : listedModels.includes(model);
}

/**
 * The model that the provider is asked with: the chosen one, else its default. The demo's model is
 * never asked of a provider that does not name it.
 */
export function modelFor(provider: StoredProvider, chosen: string | undefined): string | undefined {
  const isDemos = chosen === demoModel && !mayHaveModel(provider, demoModel);
  const own = provider.defaultModel ?? (provider.kind === "demo" ? demoModel : undefined);
  return isDemos ? own : (chosen ?? own);
}

/** With the key in the clear: only ever put into a message to a drone. For one model, or for all. */
export function providerAccess(
  provider: StoredProvider,
  secret: Secret,
  model?: string,
): ProviderAccess {
  const { kind, baseUrl, sealedKey, contextWindow, contextWindows, reasoningEffort } = provider;
  return {
    kind,
    baseUrl,
    ...(model === undefined
      ? { contextWindow, contextWindows }
      : { contextWindow: contextWindowOf(provider, model) }),
    reasoningEffort,
    apiKey: sealedKey === undefined ? undefined : secret.decrypt(sealedKey),
  };
}
