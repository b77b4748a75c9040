// oxlint-disable typescript/no-unsafe-type-assertion -- what is omitted stands for its default, as its type says
import * as z from "zod/mini";
import { refusals } from "../refusal.ts";

type Schema<Out = unknown> = z.core.$ZodType<Out>;

/** public: nobody has to sign in · member: a signed-in person or token · owner: the owner only */
export type Access = "public" | "member" | "owner";

export interface Route<
  Params = unknown,
  Query = unknown,
  Body = unknown,
  Answer = unknown,
  Who extends Access = Access,
> {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Under /api/v1, with `:name` for what is in `params`. */
  readonly path: string;
  readonly summary: string;
  readonly access: Who;
  /** Makes a lasting way in: a browser must have signed in within the last day. */
  readonly recent: boolean;
  readonly status: number;
  readonly params: Schema<Params>;
  readonly query: Schema<Query>;
  readonly body: Schema<Body>;
  readonly answer: Schema<Answer>;
  /** Other forms that the answer can have, by content type. */
  readonly alternatives?: readonly string[];
}

const nothing = z.strictObject({});
type Nothing = z.infer<typeof nothing>;

/** Fills in what a route leaves out: no params, no query, no body. */
export function route<
  Answer,
  Params = Nothing,
  Query = Nothing,
  Body = Nothing,
  Who extends Access = "member",
>(spec: {
  method: Route["method"];
  path: string;
  summary: string;
  access?: Who;
  recent?: boolean;
  status?: number;
  params?: Schema<Params>;
  query?: Schema<Query>;
  body?: Schema<Body>;
  answer: Schema<Answer>;
  alternatives?: readonly string[];
}): Route<Params, Query, Body, Answer, Who> {
  const { access = "member", recent = false, status = 200, params, query, body, ...rest } = spec;
  return {
    ...rest,
    access: access as Who,
    recent,
    status,
    params: params ?? (nothing as unknown as Schema<Params>),
    query: query ?? (nothing as unknown as Schema<Query>),
    body: body ?? (nothing as unknown as Schema<Body>),
  };
}

export const restPrefix = "/api/v1";

/** A whole list's envelope. */
export function listOf<Item>(item: Schema<Item>) {
  return z.object({ items: z.array(item), nextCursor: z.nullable(z.string()) });
}

const limit = z.coerce.number<string>().check(z.int(), z.minimum(1), z.maximum(200));
/** Query parameters are text; these are the ones that every list takes. */
export const page = {
  limit: z.optional(limit),
  cursor: z.optional(z.string().check(z.maxLength(200))),
};

export const ok = z.object({ ok: z.literal(true) });

/** The statuses that any route may answer with, for the OpenAPI document. */
export const refusalStatuses = [...new Set(Object.values(refusals).map(({ status }) => status))];

/** A route's path with its parameters filled in, escaped. */
export function pathOf(path: string, params: Record<string, string>): string {
  return (
    restPrefix +
    path.replace(/:([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""))
  );
}

declare const encodeURIComponent: (text: string) => string;
