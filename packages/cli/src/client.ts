// oxlint-disable typescript/no-unsafe-type-assertion -- the row that reads an answer is the row that types it
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
  type TurnId,
} from "@gadget/api";

/** Longer than anything that the server waits for before it answers. */
const timeoutMs = 30_000;

type Piece<Key extends string, Value> =
  Record<string, never> extends Value ? { [K in Key]?: Value } : { [K in Key]: Value };

/** What a route needs must be given; what it does not need may be left out. */
export type RequestOptions<Name extends RouteName> = Piece<"params", ParamsOf<Name>> &
  Piece<"query", QueryOf<Name>> &
  Piece<"body", BodyOf<Name>> & { signal: AbortSignal; headers?: Record<string, string> };

interface AnyOptions {
  params?: Record<string, string>;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  signal: AbortSignal;
  headers?: Record<string, string>;
}

/** The server's REST routes, by name. Every "no", also "nobody answers", is a RefusalError. */
export class Client {
  readonly server: string;
  readonly #headers: Record<string, string>;

  constructor(server: string, token: string | undefined) {
    this.server = server;
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  async request<Name extends RouteName>(
    name: Name,
    options: RequestOptions<Name>,
  ): Promise<AnswerOf<Name>> {
    return (await this.exchange(name, options)).answer;
  }

  /** The same, for who needs the answer's headers too. */
  async exchange<Name extends RouteName>(
    name: Name,
    options: RequestOptions<Name>,
  ): Promise<{ answer: AnswerOf<Name>; headers: Headers }> {
    const route: Route = routes[name];
    const given = options as unknown as AnyOptions;
    const signal = AbortSignal.any([given.signal, AbortSignal.timeout(timeoutMs)]);
    const response = await this.#send(route, given, { accept: "application/json" }, signal);
    const body: unknown = await response.json().catch(() => undefined);
    given.signal.throwIfAborted();
    const answer = read(route.answer, body, "an answer") as AnswerOf<Name>;
    return { answer, headers: response.headers };
  }

  /** A turn's live events after a number, as the server streams them. */
  async openEvents(turnId: TurnId, after: number, signal: AbortSignal): Promise<Response> {
    const headers = { accept: "text/event-stream", "last-event-id": String(after) };
    return this.#send(routes.listEvents, { params: { id: turnId }, signal }, headers, signal);
  }

  async #send(
    route: Route,
    { params = {}, query = {}, body, headers = {}, signal: caller }: AnyOptions,
    own: Record<string, string>,
    signal: AbortSignal,
  ): Promise<Response> {
    const url = new URL(pathOf(route.path, params), this.server);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const hasBody = route.method === "POST" || route.method === "PATCH";
    let response: Response;
    try {
      response = await fetch(url, {
        method: route.method,
        redirect: "error",
        signal,
        headers: {
          ...this.#headers,
          ...own,
          ...headers,
          ...(hasBody && { "content-type": "application/json" }),
        },
        ...(hasBody && { body: JSON.stringify(body ?? {}) }),
      });
    } catch {
      caller.throwIfAborted();
      throw new RefusalError(
        "unavailable",
        `${this.server} does not answer. Check that the server runs and that --server is right.`,
      );
    }
    if (!response.ok) throw await this.#refusal(response);
    return response;
  }

  async #refusal(response: Response): Promise<RefusalError> {
    const body: unknown = await response.json().catch(() => undefined);
    const refusal = Refusal.safeParse(body);
    if (!refusal.success) {
      // A proxy in front speaks for itself; while the server restarts it says 502 or 504.
      return response.status >= 500
        ? new RefusalError("unavailable", `${this.server} answers ${response.status}.`)
        : new RefusalError(
            "internal",
            `${this.server} is not a Gadget Code server: check --server.`,
          );
    }
    const { code, message, details } = refusal.data.error;
    return new RefusalError(code, message, details);
  }
}
