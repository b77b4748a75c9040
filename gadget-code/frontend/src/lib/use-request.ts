import type { AnswerOf, RouteName } from "@gadget/api";
import { useCallback, useEffect, useState } from "react";
import { type RequestOptions, sentenceOf } from "./api.ts";
import { useServices } from "./services.ts";

export interface Loaded<Data> {
  data: Data | undefined;
  problem: string | undefined;
  reload: () => void;
}

/** Asks when the component appears, when the options change, and on `reload`. */
export function useRequest<Name extends RouteName>(
  name: Name,
  options: RequestOptions<Name>,
): Loaded<AnswerOf<Name>> {
  const { request } = useServices();
  const [state, setState] = useState<{ data?: AnswerOf<Name>; problem?: string }>({});
  const [asked, setAsked] = useState(0);
  const key = JSON.stringify([name, options]);

  useEffect(() => {
    let stale = false;
    const ask = request as (name: Name, options: RequestOptions<Name>) => Promise<AnswerOf<Name>>;
    ask(name, options).then(
      (data) => stale || setState({ data }),
      (error: unknown) => stale || setState((held) => ({ ...held, problem: sentenceOf(error) })),
    );
    return () => {
      stale = true;
    };
    // oxlint-disable-next-line react/exhaustive-deps, react/exhaustive-effect-dependencies -- the key stands for name and options, which are new objects in every render
  }, [request, key, asked]);

  const reload = useCallback(() => setAsked((times) => times + 1), []);
  return { data: state.data, problem: state.problem, reload };
}
