// oxlint-disable typescript/no-unsafe-type-assertion -- the row that parses an answer is the row that types it
import {
  type AnswerOf,
  type BodyOf,
  type Member,
  type ParamsOf,
  pathOf,
  type QueryOf,
  Refusal,
  RefusalError,
  type Route,
  type RouteName,
  read,
  routes,
} from "@gadget/api";

interface LooseRequest {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface RequestOf<Name extends RouteName> {
  params?: ParamsOf<Name>;
  query?: QueryOf<Name>;
  body?: BodyOf<Name>;
  headers?: Record<string, string>;
}

/** Somebody who talks to the server over real HTTP, with their own credential. */
export class Person {
  readonly user: Member;
  readonly token: string;
  /** The value of a `Cookie` header. */
  readonly cookie: string;
  readonly #url: string;

  constructor(url: string, user: Member, token: string, cookie: string) {
    this.#url = url;
    this.user = user;
    this.token = token;
    this.cookie = cookie;
  }

  /** A route's answer, read by the route's own schema; a refusal is thrown as a RefusalError. */
  async ask<Name extends RouteName>(
    name: Name,
    request: RequestOf<Name> = {},
  ): Promise<AnswerOf<Name>> {
    const response = await this.send(name, request as LooseRequest);
    const route = routes[name] as Route<unknown, unknown, unknown, AnswerOf<Name>>;
    const body: unknown = await response.json();
    if (!response.ok) throw refusalOf(body);
    if (response.status !== route.status) {
      throw new Error(`${name} answered ${response.status}, not ${route.status}`);
    }
    return read(route.answer, body, `an answer to ${name}`);
  }

  /** The refusal's code, or undefined where the request was answered. */
  async refusal<Name extends RouteName>(
    name: Name,
    request: RequestOf<Name> = {},
  ): Promise<RefusalError | undefined> {
    const response = await this.send(name, request as LooseRequest);
    return response.ok ? undefined : refusalOf(await response.json());
  }

  /** The raw response, of a request that may be as wrong as the test likes. */
  send(name: RouteName, request: LooseRequest = {}): Promise<Response> {
    return sendRoute(this.#url, name, {
      ...request,
      headers: { authorization: `Bearer ${this.token}`, ...request.headers },
    });
  }
}

function refusalOf(body: unknown): RefusalError {
  const { code, message, details } = read(Refusal, body, "a refusal").error;
  return new RefusalError(code, message, details);
}

/** Sends a route's request with no credential but what is in `headers`. */
export function sendRoute(
  url: string,
  name: RouteName,
  { params = {}, query = {}, body, headers = {} }: LooseRequest = {},
): Promise<Response> {
  const { method, path }: Route = routes[name];
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) search.append(key, String(value));
  }
  const unsafe = method === "POST" || method === "PATCH";
  return fetch(url + pathOf(path, params) + (search.size === 0 ? "" : `?${search.toString()}`), {
    method,
    headers: { ...(unsafe && { "content-type": "application/json" }), ...headers },
    ...(unsafe && { body: JSON.stringify(body ?? {}) }),
  });
}
