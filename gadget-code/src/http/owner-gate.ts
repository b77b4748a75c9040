import { RefusalError } from "@gadget/api";
import type { NextFunction, Request, Response } from "express";
import type { Models } from "../models/models.ts";
import { hasOwner } from "../people/owner.ts";

const setupPath = /^\/api\/v1\/auth\/setup\/?$/;

/** Until there is an owner, nothing but set-up is served here. */
export function ownerGate(models: Models) {
  // Once there is one there always is one: the last owner can't be removed.
  let owned = false;
  return async (req: Request, _res: Response, next: NextFunction): Promise<void> => {
    owned ||= await hasOwner(models);
    if (!owned && !setupPath.test(req.baseUrl + req.path)) {
      throw new RefusalError(
        "unauthenticated",
        "This server has no owner yet. Open the set-up link that it printed when it started.",
      );
    }
    next();
  };
}
