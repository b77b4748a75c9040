// oxlint-disable typescript/no-unsafe-type-assertion -- a test may leave out what a route needs
import {
  type AnswerOf,
  callRoute,
  type LooseCall,
  type Member,
  type RefusalError,
  type RestRequest,
  type RouteCall,
  type RouteName,
  refusalIn,
  requestOf,
  routes,
} from "@gadget/api";

type LooseRequest = LooseCall & { headers?: Record<string, string> };

export type RequestOf<Name extends RouteName> = Partial<RouteCall<Name>> & {
  headers?: Record<string, string>;
};

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
    const { headers, ...call } = request as LooseRequest;
    const { answer, response } = await callRoute(name, call, (sent) =>
      sendTo(this.#url, sent, this.#with(headers)),
    );
    const { status } = routes[name];
    if (response.status === status) {
      return answer;
    }
    throw new Error(`${name} answered ${response.status}, not ${status}`);
  }

  /** The refusal, or undefined where the request was answered. */
  async refusal<Name extends RouteName>(
    name: Name,
    request: RequestOf<Name> = {},
  ): Promise<RefusalError | undefined> {
    const response = await this.send(name, request as LooseRequest);
    return response.ok ? undefined : refusalIn(response);
  }

  /** The raw response, of a request that may be as wrong as the test likes. */
  send(name: RouteName, { headers, ...call }: LooseRequest = {}): Promise<Response> {
    return sendTo(this.#url, requestOf(name, call), this.#with(headers));
  }

  #with(headers: Record<string, string> = {}): Record<string, string> {
    return { authorization: `Bearer ${this.token}`, ...headers };
  }
}

/** Sends a route's request with no credential but what is in `headers`. */
export function sendRoute(
  url: string,
  name: RouteName,
  { headers = {}, ...call }: LooseRequest = {},
): Promise<Response> {
  return sendTo(url, requestOf(name, call), headers);
}

function sendTo(
  url: string,
  { path, headers, ...request }: RestRequest,
  more: Record<string, string>,
): Promise<Response> {
  return fetch(url + path, { ...request, headers: { ...headers, ...more } });
}
