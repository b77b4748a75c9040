import type { ModelWait, Part, Transcript } from "@gadget/api";
import { elapsed } from "../lib/ago.ts";

/** As the transcript keeps it, with the moment at which it was said. */
export type Waiting = NonNullable<Transcript["waiting"]>;

/** A pause that was shorter than this is nothing to tell of. */
export const toldFromMs = 2_000;

function trouble({ status }: ModelWait): [is: string, was: string] {
  if (status === undefined) {
    return ["The model can't be reached", "The model could not be reached"];
  }
  if (status === 429) {
    return ["Rate-limited (429)", "Rate-limited (429)"];
  }
  const busy = status === 503 || status === 529;
  const [is, was] = busy ? ["is busy", "was busy"] : ["fails", "failed"];
  return [`The model ${is} (${status})`, `The model ${was} (${status})`];
}

/** Why a turn stands still because of its model, counted on to `now`; undefined: nothing to tell. */
export function modelWaitWords(waiting: Waiting, now: number): string | undefined {
  // A clock that is behind the server's must not count backwards.
  const since = Math.max(0, now - Date.parse(waiting.at));
  const { ms, retryMs } = waiting;
  if (retryMs === undefined) {
    return `Waiting for the model… ${elapsed(ms + since)}`;
  }
  if (retryMs < toldFromMs && since < toldFromMs) {
    return undefined;
  }
  const left = Math.ceil((retryMs - since) / 1_000);
  const [is] = trouble(waiting);
  return left > 0 ? `${is}; trying again in ${left} s` : `${is}; trying again now`;
}

/** What is told of a back-off that is over. */
export function modelWaitRecord(waiting: ModelWait): string {
  const [, was] = trouble(waiting);
  const after = elapsed(waiting.retryMs ?? waiting.ms);
  return `${was}. Tried again after ${after}.`;
}

/** The latest back-off, while it lasts, stands on the working line. */
export function withoutCurrentWait({ parts, waiting }: Transcript): Part[] {
  if (waiting?.retryMs === undefined) {
    return parts;
  }
  const last = parts.findLastIndex((part) => part.kind !== "notice" || part.code !== "backoff");
  return parts.slice(0, last + 1);
}
