// oxlint-disable typescript/no-unsafe-type-assertion -- the table's types hold for each of its rows
import {
  type AnswerOf,
  callRoute,
  type LooseCall,
  RefusalError,
  type RequiredKeys,
  type RouteCall,
  type RouteName,
} from "@gadget/api";

export type RequestOptions<Name extends RouteName> = RouteCall<Name> & { signal?: AbortSignal };

/** Where a route needs something, the options are not optional. */
type Args<Name extends RouteName> = [RequiredKeys<RequestOptions<Name>>] extends [never]
  ? [options?: RequestOptions<Name>]
  : [options: RequestOptions<Name>];

export type Request = <Name extends RouteName>(
  name: Name,
  ...args: Args<Name>
) => Promise<AnswerOf<Name>>;

const unreachable = "The server can't be reached. It is tried again when you repeat this.";

/** A typed client over the table of routes. Every "no" is thrown as a RefusalError. */
export function createRequest(
  fetch: (url: string, init: RequestInit) => Promise<Response>,
  onUnauthenticated: () => void = () => {},
): Request {
  const request = async (
    name: RouteName,
    { signal, ...call }: LooseCall & { signal?: AbortSignal } = {},
  ): Promise<unknown> => {
    try {
      const { answer } = await callRoute(name, call, ({ path, ...asked }) => {
        const init: RequestInit = { ...asked, credentials: "same-origin" };
        if (signal !== undefined) {
          init.signal = signal;
        }
        return fetch(path, init).catch(() => {
          throw new RefusalError("unavailable", unreachable);
        });
      });
      return answer;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof RefusalError && error.code === "unauthenticated") {
        onUnauthenticated();
      }
      throw error;
    }
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
    for (const listener of signedOutListeners) {
      listener();
    }
  },
);

/** The sentence to show for anything that was thrown. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : "Something went wrong. Try again.";
}
