import { RefusalError } from "@gadget/api";
import { adoptHomeless } from "../drones/adopt.ts";
import { droneTurns, runningOn } from "../drones/drone-turns.ts";
import { createEnrollment, enrollDrone } from "../drones/enroll.ts";
import { droneToWire, type StoredDrone } from "../models/drone.ts";
import { audit } from "../people/audit.ts";
import { ownedBy, usableBy } from "../people/owned.ts";
import { dispatchDrone } from "../turns/dispatch.ts";
import { revokeDrone } from "../turns/revoke-drone.ts";
import { shownTurn } from "../turns/shown-turn.ts";
import { isLoopback } from "./allowed-hosts.ts";
import type { HttpContext } from "./http-context.ts";
import { listPage } from "./list-page.ts";
import type { Handlers } from "./router.ts";
import { withoutUndefined } from "./without-undefined.ts";

const droneMs = 15_000;

export function droneHandlers(context: HttpContext) {
  const { models, line, limits } = context;
  return {
    listDrones: ({ user, query }) =>
      listPage(models.drones, usableBy<StoredDrone>(user._id), query, (drone) =>
        droneToWire(drone, user._id, context.now(), context.graceMs),
      ),
    getDrone: async ({ user, params: { id } }) => {
      const drone = await ownedBy(models, user._id).usableDrone(id);
      return { drone: droneToWire(drone, user._id, context.now()) };
    },
    updateDrone: async ({ user, params: { id }, body }) => {
      await ownedBy(models, user._id).drone(id);
      if (body.shared === true && user.role !== "owner") {
        throw new RefusalError("forbidden", "Only an owner can share a drone with all members.");
      }
      const { draining } = body;
      if (draining !== undefined) {
        // Told first: its heartbeats say the same. One that is away reads it at its next order.
        await line.order(id, "drain", [{ draining }], droneMs).catch(() => undefined);
      }
      const drone = await models.drones
        .findOneAndUpdate(
          { _id: id, owner: user._id },
          { $set: withoutUndefined(body) },
          { returnDocument: "after" },
        )
        .lean<StoredDrone>();
      if (drone === null) throw new RefusalError("not_found", "There is no such drone.");
      if (draining === false) dispatchDrone(context, id);
      return { drone: droneToWire(drone, user._id, context.now()) };
    },
    deleteDrone: async ({ user, params: { id }, req }) => {
      const drone = await ownedBy(models, user._id).drone(id);
      await revokeDrone(context, drone);
      audit(context, {
        action: "drone revoked",
        by: { id: user._id, name: user.name },
        address: req.ip,
        subject: id,
        detail: drone.name,
      });
      return { ok: true };
    },
    listDroneTurns: async ({ user, params: { id }, query }) => {
      const drone = await ownedBy(models, user._id).usableDrone(id);
      const filter = runningOn(drone, user._id);
      const { items, nextCursor } = await listPage(models.turns, filter, query, (turn) =>
        shownTurn(context.live, turn),
      );
      return { items: await droneTurns(models, items, user._id), nextCursor };
    },
    listFolders: async ({ user, params: { id }, query: { path } }) => {
      // Only one's own: what a drone's owner keeps on that machine is nobody else's business.
      const drone = await ownedBy(models, user._id).drone(id);
      return line.order(drone._id, "listFolders", [{ path }], droneMs);
    },
    createEnrollment: async ({ user, req }) => {
      const { code, expiresAt } = await createEnrollment(models, user._id, context.now());
      audit(context, {
        action: "drone invited",
        by: { id: user._id, name: user.name },
        address: req.ip,
      });
      const { publicUrl, host } = context.config;
      // Another machine can't reach loopback: the page then says how to set a public address.
      const reachable = publicUrl !== undefined || !isLoopback(host);
      const command = reachable
        ? `npm run drone -- --server ${context.url()} --enroll ${code}`
        : "";
      return { code, expiresAt: expiresAt.toISOString(), command };
    },
    enrollDrone: async ({ body, req }) => {
      await limits.enroll(req.ip);
      const { drone, credential } = await enrollDrone(models, body, context.now()).catch(
        (error: unknown) => {
          const { name } = body;
          audit(context, { action: "enrolment failed", by: null, address: req.ip, detail: name });
          throw error;
        },
      );
      await adoptHomeless(models, drone);
      const owner = await models.users.findById(drone.owner).lean();
      audit(context, {
        action: "drone enrolled",
        by: owner && { id: owner._id, name: owner.name },
        address: req.ip,
        subject: drone._id,
        detail: drone.name,
      });
      return { drone: droneToWire(drone, undefined, context.now()), credential };
    },
  } satisfies Handlers;
}
