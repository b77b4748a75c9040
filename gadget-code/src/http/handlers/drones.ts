import { RefusalError } from "@gadget/api";
import { adoptHomeless } from "../../drones/adopt-homeless.ts";
import { droneTurns, runningOn } from "../../drones/drone-turns.ts";
import { createEnrollment, enrollDrone } from "../../drones/enroll.ts";
import { refuseToShare } from "../../drones/share.ts";
import { droneToWire, type StoredDrone } from "../../models/drone.ts";
import { personOf } from "../../models/user.ts";
import { isLoopback } from "../../people/allowed-hosts.ts";
import { audit } from "../../people/audit.ts";
import { ownedBy, usableBy } from "../../people/owned.ts";
import { revokeDrone } from "../../revoking/revoke-drone.ts";
import { unshareDrone } from "../../revoking/unshare-drone.ts";
import { dispatchDrone } from "../../turns/dispatch.ts";
import { shownTurn } from "../../turns/state/shown-turn.ts";
import type { HttpContext } from "../http-context.ts";
import { listPage } from "../list-page.ts";
import type { Handlers } from "../router.ts";
import { withoutUndefined } from "../without-undefined.ts";

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
    updateDrone: async ({ user, params: { id }, body, req }) => {
      const before = await ownedBy(models, user._id).drone(id);
      if (body.shared === true) {
        refuseToShare(user, before);
      }
      const { noticesSeenAt, ...set } = body;
      const { draining } = set;
      if (draining !== undefined) {
        // Told first: its heartbeats say the same. One that is away reads it at its next order.
        await line.order(id, "drain", [{ draining }], droneMs).catch(() => undefined);
      }
      const drone = await models.drones
        .findOneAndUpdate(
          { _id: id, owner: user._id },
          {
            $set: withoutUndefined(set),
            ...(noticesSeenAt !== undefined && {
              $pull: { notices: { at: { $lte: new Date(noticesSeenAt) } } },
            }),
          },
          { returnDocument: "after" },
        )
        .lean<StoredDrone>();
      if (drone === null) {
        throw new RefusalError("not_found", "There is no such drone.");
      }
      if (draining === false) {
        dispatchDrone(context, id);
      }
      if (drone.shared !== before.shared) {
        const by = personOf(user);
        const entry = { by, address: req.ip, subject: id };
        if (drone.shared) {
          audit(context, { action: "drone shared", ...entry, detail: drone.name });
        } else {
          await unshareDrone(context, drone, entry);
        }
      }
      return { drone: droneToWire(drone, user._id, context.now()) };
    },
    deleteDrone: async ({ user, params: { id }, req }) => {
      const drone = await ownedBy(models, user._id).drone(id);
      await revokeDrone(context, drone);
      audit(context, {
        action: "drone revoked",
        by: personOf(user),
        address: req.ip,
        subject: id,
        detail: drone.name,
      });
      return { ok: true };
    },
    getDroneUse: async ({ user, params: { id } }) => {
      const { _id: droneId, owner } = await ownedBy(models, user._id).drone(id);
      const [projects, othersProjects, sessions, turns] = await Promise.all([
        models.projects.find({ droneId, owner }, { name: 1 }).limit(50).lean(),
        models.projects.countDocuments({ droneId, owner: { $ne: owner } }),
        models.sessions.countDocuments({ droneId }),
        models.turns.countDocuments({ droneId, unsettled: true }),
      ]);
      const names = projects.map(({ name }) => name);
      return { use: { projects: names, othersProjects, sessions, turns } };
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
        by: personOf(user),
        address: req.ip,
      });
      // On loopback it works on this very machine; `elsewhere` says whether it works on others.
      const { publicUrl, host } = context.config;
      const elsewhere = publicUrl !== undefined || !isLoopback(host);
      const command = `npm run drone -- --server ${context.url()} --enroll ${code}`;
      return { code, expiresAt: expiresAt.toISOString(), command, elsewhere };
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
        by: owner && personOf(owner),
        address: req.ip,
        subject: drone._id,
        detail: drone.name,
      });
      return { drone: droneToWire(drone, undefined, context.now()), credential };
    },
  } satisfies Handlers;
}
