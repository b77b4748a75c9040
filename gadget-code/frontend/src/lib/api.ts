// oxlint-disable typescript/no-unsafe-type-assertion -- the row that parses an answer is the row that types it
import {
  type AnswerOf,
  type BodyOf,
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

type RequiredKeys<Value> = {
  [K in keyof Value]-?: [Value[K]] extends [never] ? never : undefined extends Value[K] ? never : K;
}[keyof Value];

/** A piece of a request may be left out where the route asks for nothing in it. */
type Piece<Key extends string, Value> = [RequiredKeys<Value>] extends [never]
  ? { [K in Key]?: Value }
  : { [K in Key]: Value };

export type RequestOptions<Name extends RouteName> = Piece<"params", ParamsOf<Name>> &
  Piece<"query", QueryOf<Name>> &
  Piece<"body", BodyOf<Name>> & { signal?: AbortSignal };

/** Where a route needs something, the options are not optional. */
type Args<Name extends RouteName> = [RequiredKeys<RequestOptions<Name>>] extends [never]
  ? [options?: RequestOptions<Name>]
  : [options: RequestOptions<Name>];

export type Request = <Name extends RouteName>(
  name: Name,
  ...args: Args<Name>
) => Promise<AnswerOf<Name>>;

interface LooseOptions {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal;
}

const unreachable = "The server can't be reached. It is tried again when you repeat this.";

function urlOf(route: Route, { params = {}, query = {} }: LooseOptions): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([key, value]) => [key, String(value)]));
  return pathOf(route.path, params) + (given.length === 0 ? "" : `?${search}`);
}

async function refusalOf(response: Response): Promise<RefusalError> {
  try {
    const { code, message, details } = read(Refusal, await response.json(), "a refusal").error;
    return new RefusalError(code, message, details);
  } catch {
    return new RefusalError(response.status === 401 ? "unauthenticated" : "unavailable");
  }
}

/** A typed client over the table of routes. Every "no" is thrown as a RefusalError. */
export function createRequest(
  fetch: (url: string, init: RequestInit) => Promise<Response>,
  onUnauthenticated: () => void = () => {},
): Request {
  const request = async (name: RouteName, options: LooseOptions = {}): Promise<unknown> => {
    const route: Route = routes[name];
    const init: RequestInit = { method: route.method, credentials: "same-origin" };
    if (options.signal !== undefined) init.signal = options.signal;
    if (route.method === "POST" || route.method === "PATCH") {
      init.headers = { "content-type": "application/json" };
      init.body = JSON.stringify(options.body ?? {});
    }
    const response = await fetch(urlOf(route, options), init).catch((error: unknown) => {
      if (options.signal?.aborted) throw error;
      throw new RefusalError("unavailable", unreachable);
    });
    if (!response.ok) {
      const refusal = await refusalOf(response);
      if (refusal.code === "unauthenticated") onUnauthenticated();
      throw refusal;
    }
    return read(route.answer, await response.json(), "an answer");
  };
  return request as Request;
}

const signedOutListeners = new Set<() => void>();

/** Told whenever the server says that nobody is signed in. */
export function onSignedOut(listener: () => void): () => void {
  signedOutListeners.add(listener);
  return () => signedOutListeners.delete(listener);
}

export const request: Request = createRequest(
  (url, init) => fetch(url, init),
  () => {
    for (const listener of signedOutListeners) listener();
  },
);

/** The sentence to show for anything that was thrown. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : "Something went wrong. Try again.";
}
