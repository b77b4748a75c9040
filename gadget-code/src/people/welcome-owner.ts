import { newId, ProjectId, ProviderId } from "@gadget/api";
import type { Config } from "../config.ts";
import type { Models } from "../models/models.ts";
import type { StoredProvider } from "../models/provider.ts";
import type { StoredUser } from "../models/user.ts";
import type { Secret } from "../secret.ts";

interface WelcomeContext {
  models: Models;
  secret: Secret;
  config: Config;
  now(): Date;
}

/** What a first start has: the scripted demo with a project to try it in, and a provider for each key in the environment. */
export async function welcomeOwner(context: WelcomeContext, owner: StoredUser): Promise<void> {
  const { models, secret, config } = context;
  if ((await models.providers.exists({ owner: owner._id })) !== null) {
    return;
  }
  const base = { owner: owner._id, shared: false, createdAt: context.now() };
  const providers: StoredProvider[] = [
    {
      ...base,
      _id: newId(ProviderId),
      name: "Demo (scripted)",
      kind: "demo",
      defaultModel: "demo",
      shared: true,
    },
  ];
  if (config.openai !== undefined) {
    const { apiKey, baseUrl } = config.openai;
    providers.push({
      ...base,
      _id: newId(ProviderId),
      name: "OpenAI",
      kind: "openai",
      ...(baseUrl !== undefined && { baseUrl }),
      ...(apiKey !== undefined && { sealedKey: secret.encrypt(apiKey) }),
    });
  }
  if (config.ollamaHost !== undefined) {
    const baseUrl = config.ollamaHost;
    providers.push({ ...base, _id: newId(ProviderId), name: "Ollama", kind: "ollama", baseUrl });
  }
  await models.providers.create(providers);
  await models.projects.create([
    {
      _id: newId(ProjectId),
      owner: owner._id,
      name: "Sample project",
      // The first drone that comes takes it: drones/adopt-homeless.ts.
      droneId: null,
      source: { kind: "sample" },
      environment: [],
      createdAt: context.now(),
    },
  ]);
}
