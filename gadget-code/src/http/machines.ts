import { type DroneId, newId, ProviderId, RefusalError, type UserId } from "@gadget/api";
import type { QueryFilter } from "mongoose";
import { adoptHomeless } from "../drones/adopt.ts";
import { createEnrollment, enrollDrone } from "../drones/enroll.ts";
import { droneToWire, type StoredDrone } from "../models/drone.ts";
import { providerAccess, providerToWire, type StoredProvider } from "../models/provider.ts";
import { isLoopback } from "./allowed-hosts.ts";
import type { HttpContext } from "./http-context.ts";
import { listPage } from "./list-page.ts";
import type { Handlers } from "./router.ts";

const droneMs = 15_000;

/** One's own, and what its owner shares. */
export function usableBy<Stored extends { owner: UserId; shared: boolean }>(user: UserId) {
  return { $or: [{ owner: user }, { shared: true }] } as QueryFilter<Stored>;
}

export function machineHandlers(context: HttpContext): Handlers {
  const { models, secret, line } = context;

  const providerOf = async (id: ProviderId, user: UserId): Promise<StoredProvider> => {
    const filter = { $and: [{ _id: id }, usableBy<StoredProvider>(user)] };
    const provider = await models.providers.findOne(filter).lean<StoredProvider>();
    if (provider === null) throw new RefusalError("not_found", "There is no such provider.");
    return provider;
  };
  const droneOf = async (id: DroneId, user: UserId): Promise<StoredDrone> => {
    const filter = { $and: [{ _id: id }, usableBy<StoredDrone>(user)] };
    const drone = await models.drones.findOne(filter).lean<StoredDrone>();
    if (drone === null) throw new RefusalError("not_found", "There is no such drone.");
    return drone;
  };
  /** A shared provider's key goes only to the drones of its owner. */
  const droneFor = async (provider: StoredProvider, user: UserId, id: DroneId | undefined) => {
    if (id !== undefined) {
      const drone = await droneOf(id, user);
      if (provider.kind === "demo" || drone.owner === provider.owner) return drone;
      throw new RefusalError("forbidden", "This provider's key goes only to its owner's drones.");
    }
    const drones = await models.drones.find({ owner: provider.owner }).lean<StoredDrone[]>();
    const here = drones.find((drone) => line.isHere(drone._id)) ?? drones[0];
    if (here === undefined)
      throw new RefusalError("drone_offline", "There is no drone yet: add one first.");
    return here;
  };

  return {
    listProviders: ({ user, query }) =>
      listPage(
        models.providers,
        usableBy<StoredProvider>(user._id),
        query,
        (provider: StoredProvider) => providerToWire(provider, user._id),
      ),
    createProvider: async ({ user, body: { apiKey, ...body } }) => {
      if (body.shared === true && user.role !== "owner") throw new RefusalError("forbidden");
      if (body.kind === "openai" && body.baseUrl === undefined && apiKey === undefined) {
        throw new RefusalError(
          "invalid",
          "Not valid: apiKey: OpenAI needs a key, other servers a baseUrl.",
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
      if (body.shared === true && user.role !== "owner") throw new RefusalError("forbidden");
      const entries = Object.entries({
        ...body,
        ...(apiKey !== undefined && { sealedKey: apiKey === null ? null : secret.encrypt(apiKey) }),
      });
      const set = Object.fromEntries(
        entries.filter(([, value]) => value !== undefined && value !== null),
      );
      const unset = Object.fromEntries(entries.filter(([, value]) => value === null));
      const provider = await models.providers
        .findOneAndUpdate(
          { _id: id, owner: user._id },
          { $set: set, $unset: unset },
          { returnDocument: "after" },
        )
        .lean<StoredProvider>();
      if (provider === null) throw new RefusalError("not_found", "There is no such provider.");
      return { provider: providerToWire(provider, user._id) };
    },
    deleteProvider: async ({ user, params: { id } }) => {
      const { deletedCount } = await models.providers.deleteOne({ _id: id, owner: user._id });
      if (deletedCount === 0) throw new RefusalError("not_found", "There is no such provider.");
      return { ok: true };
    },
    testProvider: async ({ user, params: { id }, body: { droneId } }) => {
      const provider = await providerOf(id, user._id);
      const drone = await droneFor(provider, user._id, droneId);
      const access = { provider: providerAccess(provider, secret) };
      return line.order(drone._id, "testProvider", [access], droneMs);
    },
    listModels: async ({ user, params: { id }, query: { droneId } }) => {
      const provider = await providerOf(id, user._id);
      const drone = await droneFor(provider, user._id, droneId);
      const access = { provider: providerAccess(provider, secret) };
      const { models: items } = await line.order(drone._id, "listModels", [access], droneMs);
      return { items, nextCursor: null };
    },
    listDrones: ({ user, query }) =>
      listPage(models.drones, usableBy<StoredDrone>(user._id), query, (drone: StoredDrone) =>
        droneToWire(drone, user._id, context.now()),
      ),
    getDrone: async ({ user, params: { id } }) => ({
      drone: droneToWire(await droneOf(id, user._id), user._id, context.now()),
    }),
    updateDrone: async ({ user, params: { id }, body }) => {
      if (body.shared === true && user.role !== "owner") throw new RefusalError("forbidden");
      const drone = await models.drones
        .findOneAndUpdate(
          { _id: id, owner: user._id },
          { $set: withoutUndefined(body) },
          { returnDocument: "after" },
        )
        .lean<StoredDrone>();
      if (drone === null) throw new RefusalError("not_found", "There is no such drone.");
      return { drone: droneToWire(drone, user._id, context.now()) };
    },
    listFolders: async ({ user, params: { id }, query: { path } }) => {
      const drone = await models.drones.findOne({ _id: id, owner: user._id }).lean<StoredDrone>();
      if (drone === null) throw new RefusalError("not_found", "There is no such drone.");
      return line.order(drone._id, "listFolders", [{ path }], droneMs);
    },
    createEnrollment: async ({ user }) => {
      const { code, expiresAt } = await createEnrollment(models, user._id, context.now());
      const { publicUrl, host } = context.config;
      // Another machine can't reach loopback: the page then says how to set a public address.
      const reachable = publicUrl !== undefined || !isLoopback(host);
      const command = reachable
        ? `npm run drone -- --server ${context.url()} --enroll ${code}`
        : "";
      return { code, expiresAt: expiresAt.toISOString(), command };
    },
    enrollDrone: async ({ body }) => {
      const { drone, credential } = await enrollDrone(models, body, context.now());
      await adoptHomeless(models, drone);
      return { drone: droneToWire(drone, undefined, context.now()), credential };
    },
  };
}

type Defined<Fields> = { [Key in keyof Fields]: Exclude<Fields[Key], undefined> };

/** A key that was left out stays as it is. */
export function withoutUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what was undefined is gone
  return Object.fromEntries(entries) as Defined<Fields>;
}
