// oxlint-disable typescript/no-unsafe-type-assertion -- the row that reads an answer is the row that types it
import { read } from "../messages/command.ts";
import { Refusal, RefusalError } from "../refusal.ts";
import { pathOf, type Route } from "./route.ts";
import {
  type AnswerOf,
  type BodyOf,
  type ParamsOf,
  type QueryOf,
  type RouteName,
  routes,
} from "./routes.ts";

export type RequiredKeys<Value> = {
  [K in keyof Value]-?: [Value[K]] extends [never] ? never : undefined extends Value[K] ? never : K;
}[keyof Value];

/** A piece of a call may be left out where the route asks for nothing in it. */
type Piece<Key extends string, Value> = [RequiredKeys<Value>] extends [never]
  ? { [K in Key]?: Value }
  : { [K in Key]: Value };

/** What a route is given: what it needs must be there. */
export type RouteCall<Name extends RouteName> = Piece<"params", ParamsOf<Name>> &
  Piece<"query", QueryOf<Name>> &
  Piece<"body", BodyOf<Name>>;

/** The same where the route is not known, or is to be given something wrong. */
export interface LooseCall {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** A request as any `fetch` sends it, to a server whose address stands before the path. */
export interface RestRequest {
  method: Route["method"];
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** As much of a response as is read of it. */
export interface RestResponse {
  readonly ok: boolean;
  readonly status: number;
  json(): Promise<unknown>;
}

/** Why a request was refused, where the answer itself does not say it. */
type Otherwise<Got> = (response: Got) => RefusalError;

const byStatus: Otherwise<RestResponse> = ({ status }) =>
  new RefusalError(status === 401 ? "unauthenticated" : "unavailable");

export function requestOf(name: RouteName, call: LooseCall = {}): RestRequest {
  const { method, path }: Route = routes[name];
  const { params = {}, query = {}, body } = call;
  const given = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`);
  const search = given.length === 0 ? "" : `?${given.join("&")}`;
  const whole = { method, path: pathOf(path, params) + search };
  if (method !== "POST" && method !== "PATCH") {
    return { ...whole, headers: {} };
  }
  const headers = { "content-type": "application/json" };
  return { ...whole, headers, body: JSON.stringify(body ?? {}) };
}

export async function refusalIn<Got extends RestResponse>(
  response: Got,
  otherwise: Otherwise<Got> = byStatus,
): Promise<RefusalError> {
  const said = Refusal.safeParse(await response.json().catch(() => undefined));
  if (!said.success) {
    return otherwise(response);
  }
  const { code, message, details } = said.data.error;
  return new RefusalError(code, message, details);
}

/** Asks a route over whatever sends the request. Every "no" is thrown as a RefusalError. */
export async function callRoute<Name extends RouteName, Got extends RestResponse>(
  name: Name,
  call: RouteCall<Name> | LooseCall,
  send: (request: RestRequest) => Promise<Got>,
  otherwise?: Otherwise<Got>,
): Promise<{ answer: AnswerOf<Name>; response: Got }> {
  const response = await send(requestOf(name, call as LooseCall));
  if (!response.ok) {
    throw await refusalIn(response, otherwise);
  }
  const body = await response.json().catch(() => undefined);
  const answer = read<unknown>(routes[name].answer, body, "an answer") as AnswerOf<Name>;
  return { answer, response };
}

declare const encodeURIComponent: (text: string) => string;
