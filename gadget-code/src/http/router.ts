// oxlint-disable typescript/no-unsafe-type-assertion -- a route and its handler are looked up by one name, and what reaches the handler was read by that route's schemas
import { isUtf8 } from "node:buffer";
import {
  type AccessOf,
  type AnswerOf,
  type BodyOf,
  invalid,
  notText,
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
import { bearerHash } from "../bearer.ts";
import { databaseRefusal } from "../models/database-refusal.ts";
import { type AllowedHosts, hostRefusal } from "../people/allowed-hosts.ts";
import { cookieValue, type Identity, identify } from "../people/identity.ts";
import type { HttpContext } from "./http-context.ts";

/** Who asks, and by what: the credential names the sign-in or token. */
type Asker = Pick<Identity, "user" | "credential">;

/** A request whose every part was read by the route's own schemas; of a public one nobody is known. */
export type Call<Name extends RouteName> = {
  params: ParamsOf<Name>;
  query: QueryOf<Name>;
  body: BodyOf<Name>;
  req: Request;
  res: Response;
} & (AccessOf<Name> extends "public" ? unknown : Asker);

/** Answers with the route's answer; undefined: it has written the response itself. */
export type Handler<Name extends RouteName> = (
  call: Call<Name>,
) => Promise<AnswerOf<Name> | undefined> | AnswerOf<Name>;

export type Handlers = { [Name in RouteName]?: Handler<Name> };
/** Nothing of the table is left out. */
export type AllHandlers = { [Name in RouteName]: Handler<Name> };

const recentMs = 86_400_000;

/** One guard before all routes: what is not public needs somebody who is signed in. */
export function restRouter(context: HttpContext, handlers: AllHandlers): Router {
  const router = express.Router();
  router.use(
    express.json({ limit: "1mb", strict: true, type: "application/json", verify: refuseNoText }),
  );
  for (const [name, route] of Object.entries(routes) as [RouteName, Route][]) {
    const handler = handlers[name] as Handler<RouteName>;
    const method = route.method.toLowerCase() as "get" | "post" | "patch" | "delete";
    router[method](route.path, async (req, res) => {
      const asker = await admit(context, name, route, req);
      const call = { ...asker, ...readCall(route, req), req, res };
      const answer = await handler(call as Call<RouteName>);
      if (answer !== undefined) {
        res.status(route.status).json(answer);
      }
    });
  }
  router.use((req, res) => {
    const said = `There is no ${req.method} ${restPrefix}${req.path}`;
    const methods = methodsOf(req.path);
    if (methods.length === 0) {
      throw new RefusalError("not_found", `${said}.`);
    }
    res.setHeader("Allow", methods.join(", "));
    throw new RefusalError("wrong_method", `${said}. Send ${methods.join(" or ")}.`);
  });
  return router;
}

const patterns = Object.values(routes).map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replace(/:[A-Za-z]+/g, "[^/]+")}/?$`, "i"),
}));

/** Those that a path takes: it may be the path of several routes. */
function methodsOf(path: string): string[] {
  const methods = patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  return [...new Set(methods)];
}

/** Else what is no UTF-8 would be stored as something that nobody sent. */
function refuseNoText(_req: unknown, _res: unknown, body: Buffer, encoding: string): void {
  // The parser writes its own status on what is thrown here, which a refusal does not take.
  if (encoding === "utf-8" && !isUtf8(body)) {
    throw new Error("no UTF-8");
  }
}

async function admit(
  context: HttpContext,
  name: RouteName,
  route: Route,
  req: Request,
): Promise<Asker | undefined> {
  const { origin } = req.headers;
  const unsafe = route.method !== "GET";
  if (unsafe && hasBody(req) && !req.is("application/json")) {
    throw new RefusalError("invalid", "Send the body as application/json.");
  }
  // A browser says where a request comes from; without a cookie there may be no browser.
  const foreign = new RefusalError("forbidden", "This request came from another site.");
  if (unsafe && origin !== undefined && !context.hosts.origin(req.headers)) {
    throw foreign;
  }
  if (route.access === "public") {
    return undefined;
  }
  const asked = whoAsks(context, req);
  // A cancel waits for nothing that may never answer (A14).
  const identity =
    name === "cancelTurn" ? await context.known.orKnown(keyOf(req), asked) : await asked;
  if (identity === undefined) {
    throw new RefusalError("unauthenticated");
  }
  if (identity.via === "cookie" && unsafe && origin === undefined) {
    throw foreign;
  }
  if (route.access === "owner" && identity.user.role !== "owner") {
    throw new RefusalError("forbidden");
  }
  const { signedInAt = context.now() } = identity;
  if (route.recent && context.now().getTime() - signedInAt.getTime() > recentMs) {
    throw new RefusalError(
      "forbidden",
      "For this you must have signed in within the last day. Sign out and in again.",
    );
  }
  return identity;
}

function hasBody(req: Request): boolean {
  const { "transfer-encoding": coding, "content-length": length = "0" } = req.headers;
  return coding !== undefined || length !== "0";
}

export async function whoAsks(context: HttpContext, req: Request): Promise<Identity | undefined> {
  const { cookie, authorization } = req.headers;
  const identity = await identify(context.models, { cookie, authorization }, context.now());
  context.known.note(keyOf(req), identity);
  return identity;
}

/** All that `identify` looks at. */
function keyOf({ headers: { cookie, authorization } }: Request): string {
  return bearerHash(JSON.stringify([authorization, cookieValue(cookie)]));
}

function readCall(route: Route, req: Request): { params: unknown; query: unknown; body: unknown } {
  const read = (schema: z.core.$ZodType, value: unknown): unknown => {
    const result = z.safeParse(schema, value);
    if (!result.success) {
      throw invalid(result.error.issues);
    }
    return result.data;
  };
  const body: unknown = req.body;
  const given = { ...req.params, ...req.query, body };
  const where = notText(given);
  if (where !== undefined) {
    const field = where.replace(/^body\.?/, "") || "body";
    throw new RefusalError("invalid", `Not valid: ${field}: it holds a character that is no text.`);
  }
  if (hasBrokenText(req)) {
    throw new RefusalError("invalid", "The address is not valid: it holds what is no UTF-8.");
  }
  return {
    params: read(route.params, { ...req.params }),
    query: read(route.query, { ...req.query }),
    body: read(route.body, route.method === "GET" ? {} : (req.body ?? {})),
  };
}

/** What is no UTF-8 was decoded as a replacement character, which was not sent as such. */
function hasBrokenText(req: Request): boolean {
  return JSON.stringify(req.query).includes("\uFFFD") && !/%EF%BF%BD/i.test(req.originalUrl);
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
  if (error instanceof RefusalError) {
    return error;
  }
  if (error instanceof URIError) {
    return new RefusalError("invalid", "The address is not valid: a % in it leads to no UTF-8.");
  }
  // Express' own, of a body that it could not take.
  const status = error instanceof Error && "status" in error ? Number(error.status) : 500;
  if (error instanceof Error && Reflect.get(error, "type") === "entity.verify.failed") {
    return new RefusalError("invalid", "The body is not UTF-8.");
  }
  if (status === 413) {
    return new RefusalError("too_large");
  }
  if (status === 415) {
    return new RefusalError(
      "invalid",
      "The body is not valid: send JSON in UTF-8, without Content-Encoding or with gzip.",
    );
  }
  if (status >= 400 && status < 500) {
    return new RefusalError("invalid", "The body is not valid JSON.");
  }
  return databaseRefusal(error) ?? new RefusalError("internal");
}
