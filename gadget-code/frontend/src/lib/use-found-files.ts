import { type FoundFile, SessionId } from "@gadget/api";
import { useEffect } from "react";
import { useServices } from "./services.ts";
import { useRequest } from "./use-request.ts";
import { useSettled } from "./use-settled.ts";

const pauseMs = 120;
const noSession = SessionId.parse("no-session");

export interface FoundFilesState {
  /** The best first; while an answer is awaited, what of the last one still fits. */
  files: readonly FoundFile[];
  isLooking: boolean;
  /** Why nothing can be looked for. */
  problem: string | undefined;
  /** Why some names were not looked at. */
  note: string | undefined;
}

/** Files of a session's workspace for what is being typed; nothing is asked while it is undefined. */
export function useFoundFiles(
  sessionId: SessionId | undefined,
  typed: string | undefined,
): FoundFilesState {
  const wanted = typed?.slice(0, 200);
  const asked = useSettled(wanted, pauseMs);
  const isAsking = sessionId !== undefined && wanted !== undefined;
  const found = useRequest(
    "findFiles",
    { params: { id: sessionId ?? noSession }, query: { q: asked ?? "" } },
    { enabled: isAsking && asked !== undefined, keepPrevious: true },
  );
  const { socket } = useServices();
  const { problem, reload } = found;
  const isRefused = isAsking && problem !== undefined;
  // A drone that was away may be the one that now tells of itself.
  useEffect(
    () => (isRefused ? socket.subscribe({ droneChanged: reload }) : undefined),
    [isRefused, socket, reload],
  );
  if (!isAsking) {
    return { files: [], isLooking: false, problem: undefined, note: undefined };
  }
  const { data } = found;
  const isSettled = asked === wanted && !found.isPrevious;
  return {
    files: data?.items.filter(({ path }) => fits(path, wanted)) ?? [],
    isLooking: !isSettled || (data === undefined && problem === undefined),
    problem: isSettled ? problem : undefined,
    note: isSettled ? data?.note : undefined,
  };
}

/** As the drone sees it: the letters in their order, blanks left out. */
function fits(path: string, wanted: string): boolean {
  const text = path.toLowerCase();
  let at = 0;
  for (const letter of wanted.replace(/\s+/g, "").toLowerCase()) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) {
      return false;
    }
  }
  return true;
}
