// oxlint-disable typescript/no-unsafe-type-assertion -- a route and its handler are looked up by one name, and what reaches the handler was read by that route's schemas
import {
  type AnswerOf,
  type BodyOf,
  invalid,
  type ParamsOf,
  type QueryOf,
  RefusalError,
  type Route,
  type RouteName,
  restPrefix,
  routes,
} from "@gadget/api";
import express, { type NextFunction, type Request, type Response, type Router } from "express";
import * as z from "zod/mini";
import type { StoredUser } from "../models/user.ts";
import { type Identity, identify } from "../people/identity.ts";
import { type AllowedHosts, hostRefusal } from "./allowed-hosts.ts";
import type { HttpContext } from "./http-context.ts";

/** A request whose every part was read by the route's own schemas. */
export interface Call<Name extends RouteName> {
  params: ParamsOf<Name>;
  query: QueryOf<Name>;
  body: BodyOf<Name>;
  user: StoredUser;
  /** Names the sign-in or token that was used. */
  credential: string;
  req: Request;
  res: Response;
}

/** Answers with the route's answer; undefined: it has written the response itself. */
export type Handler<Name extends RouteName> = (
  call: Call<Name>,
) => Promise<AnswerOf<Name> | undefined> | AnswerOf<Name>;

export type Handlers = { [Name in RouteName]?: Handler<Name> };
/** Nothing of the table is left out. */
export type AllHandlers = { [Name in RouteName]: Handler<Name> };

const anybody = { user: {} as StoredUser, credential: "" };

/** One guard before all routes: what is not public needs somebody who is signed in. */
export function restRouter(context: HttpContext, handlers: AllHandlers): Router {
  const router = express.Router();
  router.use(express.json({ limit: "1mb", strict: true, type: "application/json" }));
  for (const [name, route] of Object.entries(routes) as [RouteName, Route][]) {
    const handler = handlers[name];
    const method = route.method.toLowerCase() as "get" | "post" | "patch" | "delete";
    router[method](route.path, async (req, res) => {
      const { user, credential } = await admit(context, route, req);
      const call = { ...readCall(route, req), user, credential, req, res };
      const answer = await handler(call as Call<RouteName>);
      if (answer !== undefined) res.status(route.status).json(answer);
    });
  }
  router.use((req) => {
    throw new RefusalError("not_found", `There is no ${req.method} ${restPrefix}${req.path}.`);
  });
  return router;
}

async function admit(
  context: HttpContext,
  route: Route,
  req: Request,
): Promise<Pick<Identity, "user" | "credential">> {
  const { origin, host } = req.headers;
  const unsafe = route.method !== "GET";
  if (unsafe && hasBody(req) && !req.is("application/json")) {
    throw new RefusalError("invalid", "Send the body as application/json.");
  }
  // A browser says where a request comes from; without a cookie there may be no browser.
  const foreign = new RefusalError("forbidden", "This request came from another site.");
  if (unsafe && origin !== undefined && !context.hosts.origin(origin, host)) throw foreign;
  if (route.access === "public") return anybody;
  const identity = await whoAsks(context, req);
  if (identity === undefined) throw new RefusalError("unauthenticated");
  if (identity.via === "cookie" && unsafe && origin === undefined) throw foreign;
  if (route.access === "owner" && identity.user.role !== "owner")
    throw new RefusalError("forbidden");
  return identity;
}

function hasBody(req: Request): boolean {
  const { "transfer-encoding": coding, "content-length": length = "0" } = req.headers;
  return coding !== undefined || length !== "0";
}

export function whoAsks(context: HttpContext, req: Request): Promise<Identity | undefined> {
  const { cookie, authorization } = req.headers;
  return identify(context.models, { cookie, authorization }, context.now());
}

function readCall(route: Route, req: Request): { params: unknown; query: unknown; body: unknown } {
  const read = (schema: z.core.$ZodType, value: unknown): unknown => {
    const result = z.safeParse(schema, value);
    if (!result.success) throw invalid(result.error.issues);
    return result.data;
  };
  return {
    params: read(route.params, { ...req.params }),
    query: read(route.query, { ...req.query }),
    body: read(route.body, route.method === "GET" ? {} : (req.body ?? {})),
  };
}

/** Against DNS rebinding: a request that names another host is refused before anything else. */
export function hostGuard(hosts: AllowedHosts) {
  return (req: Request, _res: Response, next: NextFunction): void => {
    if (!hosts.host(req.headers.host)) {
      throw new RefusalError("forbidden", hostRefusal(req.headers.host));
    }
    next();
  };
}

/** The one place where what was thrown becomes an answer. */
export function errorAnswer(context: Pick<HttpContext, "log">) {
  return (error: unknown, req: Request, res: Response, next: NextFunction): void => {
    if (res.headersSent) {
      next(error);
      return;
    }
    const refusal = refusalOf(error);
    if (refusal.code === "internal") {
      context.log.error({ err: error, method: req.method, path: req.path }, "a request failed");
    }
    if (refusal.code === "rate_limited") {
      const seconds = refusal.details?.["retryAfterSeconds"];
      res.setHeader("Retry-After", typeof seconds === "number" ? seconds : 60);
    }
    res.status(refusal.status).json(refusal.toWire());
  };
}

function refusalOf(error: unknown): RefusalError {
  if (error instanceof RefusalError) return error;
  // Express' own: a body that is no JSON (400) or too large (413).
  if (error instanceof Error && "status" in error) {
    if (error.status === 413) return new RefusalError("too_large");
    if (error.status === 400) return new RefusalError("invalid", "The body is not valid JSON.");
  }
  return new RefusalError("internal");
}
