import { isSettled, type Part } from "@gadget/api";
import { useCallback, useEffect, useRef } from "react";
import { useInvalidate } from "../lib/use-request.ts";
import { useSession } from "./session-context.ts";
import type { SessionState } from "./session-state.ts";
import { statusOf, type TurnEntry } from "./turn-entry.ts";

function latest({ order, turns }: SessionState): TurnEntry | undefined {
  const last = order.at(-1);
  return last === undefined ? undefined : turns.get(last);
}

/** A model wrote the arguments: their form is not taken for granted. */
function has(input: unknown, key: string, value: unknown): boolean {
  return (
    typeof input === "object" &&
    input !== null &&
    Object.entries(input).some(([name, held]) => name === key && held === value)
  );
}

/** A call that started a background command or ended one. */
function concernsCommands(part: Part): boolean {
  if (part.kind !== "tool" || part.state !== "ended") {
    return false;
  }
  if (part.name === "shell") {
    return has(part.input, "background", true);
  }
  return part.name === "background" && has(part.input, "action", "stop");
}

/** Runs when the value has become another one; what was there when the page opened is no news. */
function useChange(value: string | undefined, onChange: () => void): void {
  const before = useRef(value);
  useEffect(() => {
    const isNews = before.current !== undefined && before.current !== value;
    before.current = value;
    if (isNews) {
      onChange();
    }
  }, [value, onChange]);
}

const settledTurn = (state: SessionState): string | undefined => {
  if (state.phase !== "open") {
    return undefined;
  }
  const isOver = (entry: TurnEntry | undefined) => entry && isSettled(statusOf(entry));
  return state.order.findLast((id) => isOver(state.turns.get(id))) ?? "";
};

const lastCommandCall = (state: SessionState): string | undefined => {
  if (state.phase !== "open") {
    return undefined;
  }
  return latest(state)?.transcript.parts.findLast(concernsCommands)?.id ?? "";
};

/** Asks the drone again when a turn has settled, or has started or ended a background command. */
export function useLiveWorkspace(): void {
  const invalidate = useInvalidate();
  useChange(
    useSession(settledTurn),
    useCallback(() => invalidate("listCommands", "getWorkspace", "getWorkspaceDiff"), [invalidate]),
  );
  useChange(
    useSession(lastCommandCall),
    useCallback(() => invalidate("listCommands"), [invalidate]),
  );
}
