import { type AnswerOf, RefusalError, type RouteName } from "@gadget/api";
import { keepPreviousData, QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { type Request, type RequestOptions, sentenceOf } from "./api.ts";
import { useServices } from "./services.ts";

/** The page works without the internet: whether the browser thinks it is online says nothing. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: "always",
        staleTime: 2_000,
        retry: (times, error) =>
          times < 2 && error instanceof RefusalError && error.code === "unavailable",
      },
      mutations: { networkMode: "always" },
    },
  });
}

export interface Loaded<Data> {
  data: Data | undefined;
  problem: string | undefined;
  /** The data are those of the options before. */
  isPrevious: boolean;
  reload: () => void;
}

interface Extra {
  /** Ask again every so many milliseconds, for what no notice tells of. */
  everyMs?: number;
  /** While false nothing is asked. */
  enabled?: boolean;
  /** Show the last answer until one for the new options is there. */
  keepPrevious?: boolean;
}

type AnyRequest = <Name extends RouteName>(
  name: Name,
  options: RequestOptions<Name> & { signal: AbortSignal },
) => Promise<AnswerOf<Name>>;

/** A route's answer, cached by its options and shared by all who ask for the same. */
export function useRequest<Name extends RouteName>(
  name: Name,
  options: RequestOptions<Name>,
  { everyMs, enabled = true, keepPrevious = false }: Extra = {},
): Loaded<AnswerOf<Name>> {
  const request: Request & AnyRequest = useServices().request;
  const { data, error, isPlaceholderData, refetch } = useQuery<AnswerOf<Name>>({
    queryKey: [name, options],
    queryFn: ({ signal }) => request(name, { ...options, signal }),
    enabled,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
    ...(keepPrevious && { placeholderData: keepPreviousData }),
  });
  const reload = useCallback(() => void refetch(), [refetch]);
  const problem = error === null ? undefined : sentenceOf(error);
  return { data, problem, isPrevious: isPlaceholderData, reload };
}

/** Says that the answers of these routes are out of date. */
export function useInvalidate(): (...names: RouteName[]) => void {
  const client = useQueryClient();
  return useCallback(
    (...names) => {
      for (const name of names) {
        void client.invalidateQueries({ queryKey: [name] });
      }
    },
    [client],
  );
}
