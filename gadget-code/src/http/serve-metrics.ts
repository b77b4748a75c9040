import { RefusalError } from "@gadget/api";
import type { Request, Response } from "express";
import type { HttpContext } from "./http-context.ts";
import type { Metrics } from "./metrics.ts";
import { whoAsks } from "./router.ts";

/** For Prometheus, with an owner's token. */
export function serveMetrics(context: HttpContext, metrics: Metrics) {
  return async (req: Request, res: Response): Promise<void> => {
    const identity = await whoAsks(context, req);
    if (identity === undefined) {
      throw new RefusalError("unauthenticated");
    }
    if (identity.user.role !== "owner") {
      throw new RefusalError("forbidden");
    }
    res.type(metrics.contentType).send(await metrics.text());
  };
}
