import { newId, ProjectId, ProviderId } from "@gadget/api";
import type { Config } from "../config.ts";
import type { StoredDrone } from "../models/drone.ts";
import type { StoredProvider } from "../models/provider.ts";
import type { StoredUser } from "../models/user.ts";
import type { TurnContext } from "../turns/turn-context.ts";

/** What a first start has: the scripted demo, and a provider for each key in the environment. */
export async function welcomeOwner(
  context: TurnContext & { config: Config },
  owner: StoredUser,
): Promise<void> {
  const { models, secret, config } = context;
  if ((await models.providers.exists({ owner: owner._id })) !== null) return;
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
}

/** The first drone of somebody who has no project yet brings one to try things in. */
export async function makeSampleProject(context: TurnContext, drone: StoredDrone): Promise<void> {
  const { models } = context;
  if ((await models.projects.exists({ owner: drone.owner })) !== null) return;
  await models.projects.create([
    {
      _id: newId(ProjectId),
      owner: drone.owner,
      name: "Sample project",
      droneId: drone._id,
      source: { kind: "sample" },
      environment: [],
      createdAt: context.now(),
    },
  ]);
}
