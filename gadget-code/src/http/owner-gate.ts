import { RefusalError } from "@gadget/api";
import type { NextFunction, Request, Response } from "express";
import type { Models } from "../models/models.ts";
import { hasOwner } from "../people/owner.ts";
import { unlessSilent } from "../people/unless-silent.ts";

const setupPath = /^\/api\/v1\/auth\/setup\/?$/;
const cancelPath = /\/turns\/[^/]+\/cancel\/?$/;

/** Until there is an owner, nothing but set-up is served here. */
export function ownerGate(models: Models) {
  // Once there is one there always is one: the last owner can't be removed.
  let owned = false;
  return async (req: Request, _res: Response, next: NextFunction): Promise<void> => {
    const path = req.baseUrl + req.path;
    if (!owned) {
      const asked = hasOwner(models);
      owned = await (cancelPath.test(path) ? unlessSilent(asked) : asked);
    }
    if (!owned && !setupPath.test(path)) {
      throw new RefusalError(
        "unauthenticated",
        "This server has no owner yet. Open the set-up link that it printed when it started.",
      );
    }
    next();
  };
}
