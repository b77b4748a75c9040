import {
  type DroneId,
  type Model,
  newId,
  type ProviderAccess,
  ProviderId,
  RefusalError,
  type UserId,
} from "@gadget/api";
import type { StoredDrone } from "../../models/drone.ts";
import { providerAccess, providerToWire, type StoredProvider } from "../../models/provider.ts";
import type { StoredUser } from "../../models/user.ts";
import { ownedBy, usableBy } from "../../people/owned.ts";
import type { HttpContext } from "../http-context.ts";
import { listPage, slicePage } from "../list-page.ts";
import type { Handlers } from "../router.ts";
import { withoutUndefined } from "../without-undefined.ts";

const droneMs = 25_000;
const mostNoted = 5_000;

/** Providers are reached from drones only: the server itself opens no connection to any. */
export function providerHandlers(context: HttpContext) {
  const { models, secret, line } = context;

  /** A provider's key goes only to the drones of its owner. */
  const droneFor = async (provider: StoredProvider, user: UserId, id: DroneId | undefined) => {
    if (id !== undefined) {
      const drone = await ownedBy(models, user).usableDrone(id);
      if (provider.kind === "demo" || drone.owner === provider.owner) {
        return drone;
      }
      throw new RefusalError(
        "forbidden",
        "This provider's key goes only to its owner's drones. Choose one of those.",
      );
    }
    const drones = await models.drones.find({ owner: provider.owner }).lean<StoredDrone[]>();
    const here = drones.find((drone) => line.isHere(drone._id)) ?? drones[0];
    if (here !== undefined) {
      return here;
    }
    throw new RefusalError("drone_offline", "There is no drone yet: add one first.");
  };

  return {
    listProviders: ({ user, query }) =>
      listPage(models.providers, usableBy<StoredProvider>(user._id), query, (provider) =>
        providerToWire(provider, user._id),
      ),
    createProvider: async ({ user, body: { apiKey, ...body } }) => {
      mayShare(user, body);
      if (body.kind === "openai" && body.baseUrl === undefined && apiKey === undefined) {
        throw new RefusalError(
          "invalid",
          "Give an API key for OpenAI, or the base URL of another server.",
        );
      }
      const provider: StoredProvider = {
        ...withoutUndefined(body),
        _id: newId(ProviderId),
        owner: user._id,
        shared: body.shared ?? false,
        ...(apiKey !== undefined && { sealedKey: secret.encrypt(apiKey) }),
        createdAt: context.now(),
      };
      await models.providers.create([provider]);
      return { provider: providerToWire(provider, user._id) };
    },
    updateProvider: async ({ user, params: { id }, body: { apiKey, ...body } }) => {
      await ownedBy(models, user._id).provider(id);
      mayShare(user, body);
      const entries = Object.entries({
        ...body,
        ...(apiKey !== undefined && { sealedKey: apiKey === null ? null : secret.encrypt(apiKey) }),
      });
      const set = Object.fromEntries(
        entries.filter(([, value]) => value !== undefined && value !== null),
      );
      const unset = Object.fromEntries(entries.filter(([, value]) => value === null));
      // What it said before was said of another address, key or model.
      const isOther = ["baseUrl", "sealedKey", "defaultModel"].some(
        (key) => key in set || key in unset,
      );
      const outdated = isOther ? { lastTest: 1, listedModels: 1 } : {};
      const provider = await models.providers
        .findOneAndUpdate(
          { _id: id, owner: user._id },
          { $set: set, $unset: { ...unset, ...outdated } },
          { returnDocument: "after" },
        )
        .lean<StoredProvider>();
      if (provider === null) {
        throw new RefusalError("not_found", "There is no such provider.");
      }
      return { provider: providerToWire(provider, user._id) };
    },
    deleteProvider: async ({ user, params: { id } }) => {
      const { deletedCount } = await models.providers.deleteOne({ _id: id, owner: user._id });
      if (deletedCount === 0) {
        throw new RefusalError("not_found", "There is no such provider.");
      }
      return { ok: true };
    },
    testProvider: async ({ user, params: { id }, body: { droneId } }) => {
      const provider = await ownedBy(models, user._id).usableProvider(id);
      const drone = await droneFor(provider, user._id, droneId);
      const access = providerAccess(provider, secret);
      const asked = { provider: access, model: provider.defaultModel };
      const order = line.order(drone._id, "testProvider", [asked], droneMs);
      const { ok, message, models: listed } = await withoutKey(order, access);
      const lastTest = { ok, message: hideKey(message, access) };
      await models.providers.updateOne({ _id: id }, { $set: { lastTest, ...noted(listed) } });
      const usable = listed?.find(({ tools }) => tools !== false) ?? listed?.[0];
      if (ok && usable !== undefined) {
        // What somebody has set meanwhile stays.
        const unset = { _id: id, owner: user._id, defaultModel: { $exists: false } };
        await models.providers.updateOne(unset, { $set: { defaultModel: usable.id } });
      }
      return lastTest;
    },
    listModels: async ({ user, params: { id }, query: { droneId, ...page } }) => {
      const provider = await ownedBy(models, user._id).usableProvider(id);
      const drone = await droneFor(provider, user._id, droneId);
      const access = providerAccess(provider, secret);
      const order = line.order(drone._id, "listModels", [{ provider: access }], droneMs);
      const { models: items } = await withoutKey(order, access);
      await models.providers.updateOne({ _id: id }, { $set: noted(items) });
      return slicePage(items, page);
    },
  } satisfies Handlers;
}

/** Its models by their names, for what is remembered of them. An empty list says nothing. */
function noted(listed: readonly Model[] | undefined): { listedModels?: string[] } {
  const names = (listed ?? []).map(({ id }) => id.slice(0, 200)).slice(0, mostNoted);
  return names.length === 0 ? {} : { listedModels: names };
}

/**
 * Some APIs say the key back in their errors. A shared key is not shown to members; those who share
 * a drone with its owner can read it there all the same, as docs/drones.md says.
 */
function hideKey(text: string, { apiKey }: ProviderAccess): string {
  return apiKey === undefined ? text : text.replaceAll(apiKey, "[key]");
}

async function withoutKey<Answer>(order: Promise<Answer>, access: ProviderAccess): Promise<Answer> {
  try {
    return await order;
  } catch (error) {
    if (!(error instanceof RefusalError)) {
      throw error;
    }
    throw new RefusalError(error.code, hideKey(error.message, access));
  }
}

function mayShare(user: StoredUser, { shared }: { shared?: boolean | undefined }): void {
  if (shared === true && user.role !== "owner") {
    throw new RefusalError("forbidden", "Only an owner can share this with all members.");
  }
}
