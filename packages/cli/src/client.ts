import {
  type AnswerOf,
  callRoute,
  RefusalError,
  type RestRequest,
  type RouteCall,
  type RouteName,
  refusalIn,
  requestOf,
  type TurnId,
} from "@gadget/api";

/** Longer than anything that the server waits for before it answers. */
const timeoutMs = 30_000;

export type RequestOptions<Name extends RouteName> = RouteCall<Name> & {
  signal: AbortSignal;
  headers?: Record<string, string>;
};

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
    const { signal: caller } = options;
    const headers = { accept: "application/json", ...options.headers };
    const signal = AbortSignal.any([caller, AbortSignal.timeout(timeoutMs)]);
    try {
      const { answer, response } = await callRoute(
        name,
        options,
        (request) => this.#send(request, headers, signal),
        (refused) => this.#noServer(refused),
      );
      return { answer, headers: response.headers };
    } catch (error) {
      caller.throwIfAborted();
      throw error;
    }
  }

  /** A turn's live events after a number, as the server streams them. */
  async openEvents(turnId: TurnId, after: number, signal: AbortSignal): Promise<Response> {
    const headers = { accept: "text/event-stream", "last-event-id": String(after) };
    const request = requestOf("listEvents", { params: { id: turnId } });
    const response = await this.#send(request, headers, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
    if (!response.ok) {
      throw await refusalIn(response, (refused) => this.#noServer(refused));
    }
    return response;
  }

  async #send(
    { path, headers, ...request }: RestRequest,
    more: Record<string, string>,
    signal: AbortSignal,
  ): Promise<Response> {
    try {
      return await fetch(new URL(path, this.server), {
        ...request,
        redirect: "error",
        signal,
        headers: { ...this.#headers, ...headers, ...more },
      });
    } catch {
      throw new RefusalError(
        "unavailable",
        `${this.server} does not answer. Check that the server runs and that --server is right.`,
      );
    }
  }

  /** A proxy in front speaks for itself; while the server restarts it says 502 or 504. */
  #noServer({ status }: Response): RefusalError {
    return status >= 500
      ? new RefusalError("unavailable", `${this.server} answers ${status}.`)
      : new RefusalError("internal", `${this.server} is not a Gadget Code server: check --server.`);
  }
}
