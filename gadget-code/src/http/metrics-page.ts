import { RefusalError } from "@gadget/api";
import express, { type RequestHandler, type Router } from "express";
import type { HttpContext } from "./http-context.ts";
import type { Metrics } from "./metrics.ts";
import { whoAsks } from "./router.ts";

/** For Prometheus, with an owner's token. */
export function metricsRouter(context: HttpContext, metrics: Metrics): Router {
  const router = express.Router();
  const answer: RequestHandler = async (req, res) => {
    const identity = await whoAsks(context, req);
    if (identity === undefined) throw new RefusalError("unauthenticated");
    if (identity.user.role !== "owner") throw new RefusalError("forbidden");
    res.type(metrics.contentType).send(await metrics.text());
  };
  router.get("/", answer);
  return router;
}
